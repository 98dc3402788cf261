package io.icewal.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializePolicy;
import io.icewal.materialize.MaterializePolicy.Waiting;
import io.icewal.model.LogName;
import io.icewal.runner.ActionPlanner.Plan;
import io.icewal.runner.Observation.LogSeen;
import io.icewal.runner.Observation.TableSeen;
import io.icewal.wal.TrimLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ActionPlannerTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final LogName LOG = new LogName(new UUID(1, 1), 1, 0);
  private static final MaintenancePolicy POLICY =
      MaintenancePolicy.of(MaterializePolicy.DEFAULT, TrimLimits.DEFAULTS);

  private final ActionPlanner planner = new ActionPlanner(POLICY);

  @Test
  void aFlushedTableGoesBeforeAnOlderOne() {
    TableSeen old = table(1, 1 << 20, NOW.minusSeconds(600), false, null, null);
    TableSeen flushed = table(2, 10, NOW, true, null, null);

    Plan plan = plan(List.of(old, flushed), log(0, NOW));

    assertThat(plan.action()).contains(new Action.Materialize(flushed.tableId()));
  }

  @Test
  void aTrickleWaitsForTenMinutes() {
    TableSeen trickle = table(1, 10, NOW.minusSeconds(30), false, null, null);

    Plan plan = plan(List.of(trickle), log(0, NOW));

    assertThat(plan.action()).isEmpty();
    assertThat(plan.next()).isEqualTo(NOW.minusSeconds(30).plus(Duration.ofMinutes(10)));
  }

  @Test
  void aFailingTableWaitsAndLetsOthersThrough() {
    TableSeen failing = table(1, 100 << 20, NOW.minusSeconds(900), true, null, NOW.plusSeconds(8));
    TableSeen other = table(2, 100 << 20, NOW, false, null, null);

    assertThat(plan(List.of(failing, other), log(0, NOW)).action())
        .contains(new Action.Materialize(other.tableId()));
    assertThat(plan(List.of(failing), log(0, NOW)).next()).isEqualTo(NOW.plusSeconds(8));
  }

  @Test
  void cyclesOfATableAreFiveSecondsApart() {
    TableSeen busy = table(1, 100 << 20, NOW, false, NOW.minusSeconds(2), null);

    assertThat(plan(List.of(busy), log(0, NOW)).next()).isEqualTo(NOW.plusSeconds(3));
  }

  @Test
  void aLogIsTrimmedBySegmentsOrAge() {
    assertThat(plan(List.of(), log(256, NOW)).action()).contains(new Action.Trim(LOG));
    assertThat(plan(List.of(), log(255, NOW)).next()).isEqualTo(NOW.plus(Duration.ofMinutes(10)));
    assertThat(plan(List.of(), log(1, NOW.minus(Duration.ofMinutes(10)))).action())
        .contains(new Action.Trim(LOG));
  }

  @Test
  void whatLiesBelowABoundaryIsDeletedNowAndThen() {
    LogSeen trimmed = new LogSeen(LOG, 0, NOW, NOW.minus(Duration.ofMinutes(10)), true);

    assertThat(plan(List.of(), trimmed).action()).contains(new Action.Clean(LOG));
  }

  @Test
  void nothingWaitingIsNeverDue() {
    Plan plan = plan(List.of(), log(0, NOW.minus(Duration.ofDays(1))));

    assertThat(plan.action()).isEmpty();
    assertThat(plan.next()).isNull();
  }

  @Test
  void pausesDoubleUpToFiveMinutes() {
    assertThat(POLICY.backoff(1)).isEqualTo(Duration.ofSeconds(1));
    assertThat(POLICY.backoff(4)).isEqualTo(Duration.ofSeconds(8));
    assertThat(POLICY.backoff(1000)).isEqualTo(Duration.ofMinutes(5));
  }

  private Plan plan(List<TableSeen> tables, LogSeen log) {
    return planner.plan(new Observation(NOW, tables, List.of(log)));
  }

  private static LogSeen log(long trimmable, Instant lastTrim) {
    return new LogSeen(LOG, trimmable, lastTrim, NOW, false);
  }

  private static TableSeen table(
      int id,
      long bytes,
      Instant oldest,
      boolean flush,
      @Nullable Instant lastCycle,
      @Nullable Instant notBefore) {
    Waiting waiting = new Waiting(bytes, bytes / 100, oldest, flush);
    return new TableSeen(new UUID(0, id), waiting, oldest, lastCycle, notBefore);
  }
}
