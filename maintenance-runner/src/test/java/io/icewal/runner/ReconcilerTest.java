package io.icewal.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.materialize.MaterializePolicy;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.runner.TableCycle.Outcome;
import io.icewal.runner.TableCycle.Result;
import io.icewal.storage.CountingObjectStore;
import io.icewal.storage.FaultyObjectStore;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.StoreOp;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.BlockLocation;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.TrimLimits;
import io.icewal.wal.WalTrimmer;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

/// The loop over a real log in memory, with a fake for the work on tables.
class ReconcilerTest {
  private static final UUID A = new UUID(0, 1);
  private static final UUID B = new UUID(0, 2);
  private static final UUID SLOW = new UUID(0, 3);
  private static final Schema COLUMNS =
      new Schema(NestedField.required(1, "id", Types.LongType.get()));

  private final SplittableRandom random = new SplittableRandom(5);
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final FaultyObjectStore faulty =
      new FaultyObjectStore(new MemoryObjectStore(() -> now), new SplittableRandom(6));
  private final CountingObjectStore store = new CountingObjectStore(faulty);
  private final LogRoot root = LogRoot.openOrCreate(store, 1, random);
  private final LogName log = root.log(0);
  private final WalWriter writer =
      new WalWriter(root, log, random, () -> now, null, WriterLimits.DEFAULTS);
  private final Faults faults = new Faults();
  private final List<UUID> cycles = new ArrayList<>();
  private final Map<UUID, Outcome> outcomes = new HashMap<>();
  private final Set<UUID> failingByError = new HashSet<>();
  private final Map<UUID, Long> positions = new HashMap<>();
  private final MaintenancePolicy policy =
      MaintenancePolicy.of(MaterializePolicy.DEFAULT, TrimLimits.DEFAULTS);
  private final Reconciler reconciler = reconciler();

  private Reconciler reconciler() {
    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    WalTrimmer trimmer = new WalTrimmer(root, log, random, policy.trim(), Runnable::run);
    LogView view = new LogView(reader, policy);
    return new Reconciler(
        List.of(view), Map.of(log, trimmer), this::cycle, policy, faults, () -> now);
  }

  /// Takes a table to the end of the log, or ends as the test has ordered.
  private Result cycle(UUID table, String name) {
    cycles.add(table);
    if (failingByError.contains(table)) {
      throw new OutOfMemoryError("rows too wide");
    }
    if (table.equals(SLOW)) {
      long position = positions.merge(table, 1L, Long::sum);
      boolean more = position < writer.end().number();
      return new Result(more ? Outcome.MORE : Outcome.DONE, position, 1, "");
    }
    Outcome outcome = outcomes.getOrDefault(table, Outcome.DONE);
    if (outcome == Outcome.MORE) {
      throw new IcewalException(ErrorKind.UNAVAILABLE, "catalog is down");
    }
    long position = outcome == Outcome.DONE ? writer.end().number() : 0;
    positions.put(table, position);
    return new Result(outcome, position, 1, "no such table");
  }

  @Test
  void aTableWithMoreThanOneCycleTakesGoesOnAtOnce() {
    // The fake takes one segment a cycle for this table.
    append(SLOW, BlockKind.FLUSH);
    append(SLOW, BlockKind.FLUSH);
    append(SLOW, BlockKind.FLUSH);

    runUntilIdle();

    assertThat(cycles).containsExactly(SLOW, SLOW, SLOW);
  }

  private void append(UUID table, BlockKind kind) {
    writer.append(List.of(AppendBatch.ofNoRows(header(table, kind), null)));
  }

  private static BlockHeader header(UUID table, BlockKind kind) {
    return new BlockHeader(table, "ns.t" + table, 0, 1, COLUMNS, kind);
  }

  private void runUntilIdle() {
    for (int step = 0; step < 1000; step++) {
      if (!reconciler.step().isZero()) {
        return;
      }
    }
    throw new AssertionError("the loop does not come to rest");
  }

  private int requests() {
    return store.counts().values().stream().mapToInt(Integer::intValue).sum();
  }

  private void after(Duration time) {
    now = now.plus(time);
    runUntilIdle();
  }

  @Test
  void aFlushIsMaterializedAtOnceAndATrickleLater() {
    append(A, BlockKind.TRUNCATE);
    append(B, BlockKind.FLUSH);

    runUntilIdle();
    assertThat(cycles).containsExactly(B);
    after(Duration.ofMinutes(11));
    assertThat(cycles).containsExactly(B, A);
  }

  @Test
  void anIdleLoopMakesOneRequestALook() {
    append(A, BlockKind.FLUSH);
    runUntilIdle();
    after(Duration.ofMinutes(11));
    now = now.plus(policy.boundaryInterval());
    reconciler.step();
    store.reset();

    now = now.plusSeconds(1);
    reconciler.step();

    assertThat(requests()).isEqualTo(1);
    assertThat(cycles).containsExactly(A);
  }

  @Test
  void aFailingTableIsTriedLessAndLessAndToldInStatus() {
    outcomes.put(A, Outcome.MORE);
    append(A, BlockKind.FLUSH);
    append(B, BlockKind.FLUSH);

    runUntilIdle();
    assertThat(cycles).containsExactly(A, B);
    assertThat(faults.lastError(A)).isEqualTo("catalog is down");
    assertThat(faults.lastError(B)).isNull();
    for (int second = 0; second < 60; second++) {
      after(Duration.ofSeconds(1));
    }
    assertThat(cycles.stream().filter(A::equals)).hasSize(6);

    outcomes.clear();
    after(Duration.ofMinutes(1));
    assertThat(faults.lastError(A)).isNull();
  }

  @Test
  void anErrorInOneTablesCycleHoldsNoOtherTableUp() {
    failingByError.add(A);
    append(A, BlockKind.FLUSH);
    append(B, BlockKind.FLUSH);

    runUntilIdle();

    assertThat(cycles).containsExactly(A, B);
    assertThat(faults.lastError(A)).contains("rows too wide");
  }

  @Test
  void theFaultOfALogEndsWithIt() {
    append(A, BlockKind.FLUSH);
    runUntilIdle();
    faulty.script(StoreOp.GET, key -> true, FaultyObjectStore.Toxic.FAIL_BEFORE);
    now = now.plusSeconds(1);
    reconciler.step();
    assertThat(faults.lastError(A)).isNotNull();

    after(Duration.ofSeconds(1));
    after(Duration.ofMinutes(1));

    assertThat(faults.lastError(A)).isNull();
  }

  @Test
  void onlyRowsWithAKeyMakeATableDueByTheirNumber() {
    Schema keyed = new Schema(COLUMNS.columns(), Set.of(1));
    TableWork keyless = new TableWork(A, "");
    TableWork withKey = new TableWork(B, "");
    keyless.add(block(A, COLUMNS));
    withKey.add(block(B, keyed));

    assertThat(keyless.seen().waiting().keys()).isZero();
    assertThat(withKey.seen().waiting().keys()).isEqualTo(7);
  }

  private static BlockRef block(UUID table, Schema columns) {
    BlockHeader header = new BlockHeader(table, "ns.t", 0, 1, columns, BlockKind.UPSERT);
    return new BlockRef(
        new LogName(new UUID(0, 9), 1, 0),
        1,
        0,
        new UUID(0, 8),
        header,
        7,
        70,
        Instant.EPOCH,
        List.of(),
        new BlockLocation(BlockLocation.Place.SEGMENT, "x", new UUID(0, 8), null, null));
  }

  @Test
  void segmentsAreTrimmedWhenEveryTableHasThem() {
    for (int i = 0; i < 300; i++) {
      append(A, BlockKind.FLUSH);
    }
    append(B, BlockKind.TRUNCATE);
    runUntilIdle();

    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    assertThat(reader.newestBoundary().number()).isEqualTo(300);
    after(Duration.ofMinutes(21));
    assertThat(reader.newestBoundary().number()).isEqualTo(301);
  }

  @Test
  void blocksOfATableThatIsGoneAreParkedAndGoInWhenItIsBack() {
    outcomes.put(A, Outcome.GONE);
    append(A, BlockKind.TRUNCATE);
    append(B, BlockKind.FLUSH);
    after(Duration.ofMinutes(11));
    after(Duration.ofMinutes(11));

    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    assertThat(reader.newestBoundary().number()).isEqualTo(2);
    assertThat(reader.summary(reader.newestBoundary()).parked())
        .singleElement()
        .matches(block -> block.header().tableId().equals(A));
    assertThat(faults.lastError(A)).isEqualTo("no such table");

    outcomes.clear();
    append(B, BlockKind.FLUSH);
    after(Duration.ofMinutes(11));
    after(Duration.ofMinutes(11));
    assertThat(reader.summary(reader.newestBoundary()).parked()).isEmpty();
  }

  @Test
  void aLoopThatStartsAnewFindsItsWorkInTheLogAlone() {
    append(A, BlockKind.TRUNCATE);
    append(B, BlockKind.FLUSH);
    Reconciler other = reconciler();

    CatchUp catchUp = new CatchUp(other, faults, policy, () -> now);
    List<CatchUp.TableResult> results = catchUp.run();

    assertThat(results).extracting(CatchUp.TableResult::tableId).containsExactly(A, B);
    assertThat(results).allMatch(table -> table.error() == null && table.position() == 2);
    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    assertThat(reader.newestBoundary().number()).isEqualTo(2);
    assertThat(catchUp.run()).isEmpty();
  }

  @Test
  void catchingUpGoesOnWithTheOtherLogsWhereOneCannotBeRead() {
    LogRoot two =
        LogRoot.openOrCreate(
            new FaultyObjectStore(new MemoryObjectStore(() -> now), random), 2, random);
    FaultyObjectStore hurt = (FaultyObjectStore) two.store();
    List<LogView> views = new ArrayList<>();
    Map<LogName, WalTrimmer> trimmers = new HashMap<>();
    for (LogName each : two.all()) {
      LogReader reader = new LogReader(two, each, Runnable::run, ReaderLimits.DEFAULTS);
      views.add(new LogView(reader, policy));
      trimmers.put(each, new WalTrimmer(two, each, random, policy.trim(), Runnable::run));
    }
    new WalWriter(two, two.log(1), random, () -> now, null, WriterLimits.DEFAULTS)
        .append(List.of(AppendBatch.ofNoRows(header(B, BlockKind.FLUSH), null)));
    Reconciler both = new Reconciler(views, trimmers, this::cycle, policy, faults, () -> now);
    for (StoreOp op : List.of(StoreOp.GET, StoreOp.LIST)) {
      hurt.script(op, key -> key.contains("log-0"), FaultyObjectStore.Toxic.FAIL_BEFORE);
    }

    assertThatThrownBy(() -> new CatchUp(both, faults, policy, () -> now).run())
        .isInstanceOf(IcewalException.class);

    assertThat(cycles).containsOnly(B);
  }

  @Test
  void catchingUpNamesTheTableThatCannotTakeItsRows() {
    outcomes.put(A, Outcome.UNFIT);
    append(A, BlockKind.FLUSH);
    append(B, BlockKind.FLUSH);

    List<CatchUp.TableResult> results = new CatchUp(reconciler, faults, policy, () -> now).run();

    assertThat(results)
        .extracting(CatchUp.TableResult::error)
        .containsExactly("no such table", null);
  }
}
