package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializePolicy.Waiting;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class MaterializePolicyTest {
  private static final MaterializePolicy POLICY = MaterializePolicy.DEFAULT;
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void nothingWaitingIsNeverDue() {
    assertThat(POLICY.dueAt(new Waiting(0, 0, null, false), null)).isEmpty();
  }

  @Test
  void muchWaitingIsDueAtOnce() {
    assertDue(new Waiting(64L << 20, 1, START, false), Duration.ZERO);
    assertDue(new Waiting(1, 200_000, START, false), Duration.ZERO);
    assertDue(new Waiting(1, 1, START, true), Duration.ZERO);
  }

  @Test
  void lessWaitsAndATrickleWaitsLongest() {
    assertDue(new Waiting(1L << 20, 1, START, false), Duration.ofSeconds(60));
    assertDue(new Waiting((1L << 20) - 1, 1, START, false), Duration.ofMinutes(10));
  }

  @Test
  void noTableIsDueAgainWithinTheInterval() {
    Waiting flush = new Waiting(1, 1, START, true);
    Instant last = START.plusSeconds(1);

    assertThat(POLICY.dueAt(flush, last)).contains(last.plusSeconds(5));
  }

  private static void assertDue(Waiting waiting, Duration after) {
    assertThat(POLICY.dueAt(waiting, null)).contains(START.plus(after));
  }
}
