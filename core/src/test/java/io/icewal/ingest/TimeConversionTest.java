package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.IcewalException;
import java.util.List;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullUnmarked // Nulls are part of what is tested.
class TimeConversionTest {
  private static final Type TIMESTAMP = Types.TimestampType.withoutZone();
  private static final Type TIMESTAMPTZ = Types.TimestampType.withZone();
  private static final long DAY_MICROS = 86_400_000_000L;

  private final Harness harness = new Harness();

  @AfterEach
  void nothingIsLeftOpen() {
    harness.close();
  }

  private VectorSchemaRoot timestamps(TimeUnit unit, String zone, long... values) {
    return harness.<TimeStampVector>column(
        new ArrowType.Timestamp(unit, zone),
        values.length,
        vector -> {
          for (int i = 0; i < values.length; i++) {
            vector.setSafe(i, values[i]);
          }
        });
  }

  private VectorSchemaRoot times(TimeUnit unit, long... values) {
    int bits = unit == TimeUnit.SECOND || unit == TimeUnit.MILLISECOND ? 32 : 64;
    return harness.<BaseFixedWidthVector>column(
        new ArrowType.Time(unit, bits),
        values.length,
        vector -> {
          for (int i = 0; i < values.length; i++) {
            vector.setIndexDefined(i);
            if (bits == 32) {
              vector.getDataBuffer().setInt(4L * i, (int) values[i]);
            } else {
              vector.getDataBuffer().setLong(8L * i, values[i]);
            }
          }
        });
  }

  @Test
  void b079_everyZoneKeepsTheInstant() {
    for (String zone : List.of("UTC", "Etc/UTC", "+05:30", "America/New_York")) {
      assertThat(harness.good(TIMESTAMPTZ, timestamps(TimeUnit.MICROSECOND, zone, -1, 7)))
          .isEqualTo(List.of(-1L, 7L));
    }
  }

  @Test
  void b079_zoneAndNoZoneDoNotMix() {
    try (VectorSchemaRoot none = timestamps(TimeUnit.MICROSECOND, null, 1);
        VectorSchemaRoot zone = timestamps(TimeUnit.MICROSECOND, "UTC", 1)) {
      assertThatThrownBy(() -> harness.validate(Harness.column(TIMESTAMPTZ), none))
          .isInstanceOf(IcewalException.class)
          .hasMessageContaining("'v' has Arrow type Timestamp(MICROSECOND, null)")
          .hasMessageContaining("with a time zone");
      assertThatThrownBy(() -> harness.validate(Harness.column(TIMESTAMP), zone))
          .hasMessageContaining("without a time zone");
    }
  }

  @Test
  void otherUnitsAreExactOrRefused() {
    assertThat(harness.good(TIMESTAMP, timestamps(TimeUnit.SECOND, null, -3)))
        .isEqualTo(List.of(-3_000_000L));
    assertThat(harness.good(TIMESTAMP, timestamps(TimeUnit.MILLISECOND, null, 5)))
        .isEqualTo(List.of(5_000L));
    assertThat(harness.good(TIMESTAMP, timestamps(TimeUnit.NANOSECOND, null, -5_000)))
        .isEqualTo(List.of(-5L));
    assertThat(harness.bad(TIMESTAMP, timestamps(TimeUnit.NANOSECOND, null, 1_000, 1_001)))
        .containsExactly("1 precision-loss 1001 ns");
    assertThat(harness.bad(TIMESTAMP, timestamps(TimeUnit.SECOND, null, Long.MAX_VALUE)))
        .containsExactly("0 out-of-range 9223372036854775807 s");
    Type nanos = Types.TimestampNanoType.withZone();
    assertThat(harness.good(nanos, timestamps(TimeUnit.MICROSECOND, "UTC", -1)))
        .isEqualTo(List.of(-1_000L));
    assertThat(harness.good(nanos, timestamps(TimeUnit.NANOSECOND, "UTC", -1)))
        .isEqualTo(List.of(-1L));
    assertThat(
            harness.bad(nanos, timestamps(TimeUnit.MICROSECOND, "UTC", Long.MAX_VALUE / 1000 + 1)))
        .containsExactly("0 out-of-range 9223372036854776 us");
  }

  @Test
  void b080_timeOfDayIsExactInEveryUnit() {
    Type time = Types.TimeType.get();
    assertThat(harness.good(time, times(TimeUnit.SECOND, 0, 86_399)))
        .isEqualTo(List.of(0L, 86_399_000_000L));
    assertThat(harness.good(time, times(TimeUnit.MILLISECOND, 86_399_999)))
        .isEqualTo(List.of(86_399_999_000L));
    assertThat(harness.good(time, times(TimeUnit.MICROSECOND, DAY_MICROS - 1)))
        .isEqualTo(List.of(DAY_MICROS - 1));
    assertThat(harness.good(time, times(TimeUnit.NANOSECOND, 1_000))).isEqualTo(List.of(1L));
    assertThat(harness.bad(time, times(TimeUnit.SECOND, 86_400, -1)))
        .containsExactly("0 out-of-range 86400 s", "1 out-of-range -1 s");
    assertThat(harness.bad(time, times(TimeUnit.MICROSECOND, -1, 0, DAY_MICROS)))
        .containsExactly("0 out-of-range -1 us", "2 out-of-range 86400000000 us");
    assertThat(harness.bad(time, times(TimeUnit.NANOSECOND, 1_001)))
        .containsExactly("0 precision-loss 1001 ns");
  }

  @Test
  void datesInMillisecondsAreWholeDays() {
    VectorSchemaRoot good =
        harness.<DateMilliVector>column(
            new ArrowType.Date(DateUnit.MILLISECOND), 1, v -> v.setSafe(0, -86_400_000));
    assertThat(harness.good(Types.DateType.get(), good)).isEqualTo(List.of(-1));
    VectorSchemaRoot bad =
        harness.<DateMilliVector>column(
            new ArrowType.Date(DateUnit.MILLISECOND),
            2,
            vector -> {
              vector.setSafe(0, 1);
              vector.setSafe(1, Long.MIN_VALUE);
            });
    assertThat(harness.bad(Types.DateType.get(), bad))
        .containsExactly("0 precision-loss 1 ms", "1 out-of-range -9223372036854775808 ms");
  }
}
