package io.icewal.cli.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IsoTimesTest {
  @Test
  void instantsAgreeWithJavaTime() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 2000; i++) {
      long micros = random.nextLong(-62_135_596_800_000_000L, 253_402_300_800_000_000L);
      String text =
          Instant.ofEpochSecond(
                  Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1000)
              .toString();

      assertThat(IsoTimes.timestampMicros(text, IsoTimes.Zone.REQUIRED)).isEqualTo(micros);
    }
  }

  @Test
  void zonesAndFractionsAreExact() {
    IsoTimes.Zone zone = IsoTimes.Zone.REQUIRED;
    assertThat(IsoTimes.timestampMicros("1970-01-01T01:00:00.000001+01:00", zone)).isEqualTo(1);
    assertThat(IsoTimes.timestampMicros("1969-12-31 23:59:59.999999Z", zone)).isEqualTo(-1);
    assertThat(IsoTimes.timestampMicros("1969-12-31T18:59:59-0500", zone)).isEqualTo(-1_000_000);
    assertThat(IsoTimes.timestampNanos("1969-12-31T23:59:59.999999999Z", zone)).isEqualTo(-1);
    assertThat(IsoTimes.timestampMicros("1970-01-01T00:00:00.0000010000", IsoTimes.Zone.FORBIDDEN))
        .isEqualTo(1);
    assertThat(IsoTimes.timestampNanos("1677-09-21T00:12:43.145224192Z", zone))
        .isEqualTo(Long.MIN_VALUE);
    assertThat(IsoTimes.days("1969-12-31")).isEqualTo(-1);
    assertThat(IsoTimes.days("+12345-01-01")).isEqualTo(3789391);
    for (int day : new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThat(IsoTimes.days(LocalDate.ofEpochDay(day).toString())).isEqualTo(day);
    }
    assertThat(IsoTimes.timeMicros("23:59:59.999999")).isEqualTo(86_399_999_999L);
    assertThat(IsoTimes.timeMicros("00:01")).isEqualTo(60_000_000L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2024-01-01T00:00:00",
        "2024-01-01",
        "2024-02-30T00:00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T00:00:60Z",
        "2024-01-01T00:00:00.0000001Z",
        "2024-01-01T00:00:00.Z",
        "2024-01-01T00:00:00Zx",
        "2024-1-01T00:00:00Z",
        "292278994-08-17T07:12:55.807Z",
        "",
        "now",
      })
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> IsoTimes.timestampMicros(text, IsoTimes.Zone.REQUIRED))
        .isInstanceOf(DateTimeException.class);
  }

  @Test
  void aZoneWhereNoneBelongsIsRefused() {
    assertThatThrownBy(
            () -> IsoTimes.timestampMicros("2024-01-01T00:00:00Z", IsoTimes.Zone.FORBIDDEN))
        .hasMessage("this column has no zone");
  }
}
