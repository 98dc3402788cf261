package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.LogName;
import io.icewal.model.ProducerSequence;
import io.icewal.storage.CountingObjectStore;
import io.icewal.storage.FaultyObjectStore;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.StoreOp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/// One log over a faulty store in memory, with a clock that only moves when told, or when somebody
/// pauses. Close it: that checks that no buffer is left.
final class LogFixture implements AutoCloseable {
  static final Duration DEADLINE = Duration.ofSeconds(10);
  static final WriterLimits LIMITS =
      new WriterLimits(DEADLINE, Duration.ofSeconds(1), Duration.ofSeconds(4), 64L << 20);

  /// Pauses of 1, 2, 4, 4 seconds, and the deadline of 10 is over.
  static final int PUTS_BEFORE_DEADLINE = 5;

  final List<Long> table = new ArrayList<>();
  Instant now = Instant.parse("2026-01-01T00:00:00Z");
  Duration storeAhead = Duration.ZERO;
  final SplittableRandom random = new SplittableRandom(7);
  final CountingObjectStore counted =
      new CountingObjectStore(new MemoryObjectStore(() -> now.plus(storeAhead)));
  final FaultyObjectStore store = new FaultyObjectStore(counted, random);
  final BufferAllocator allocator = new RootAllocator();
  final LogRoot root = LogRoot.openOrCreate(store, 1, random);
  final LogName log = root.log(0);
  final Pause pause = duration -> now = now.plus(duration);

  WalWriter writer() {
    return new WalWriter(root, log, random, () -> now, null, LIMITS, Runnable::run, pause);
  }

  LogReader reader() {
    return new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
  }

  WalTrimmer trimmer() {
    return new WalTrimmer(root, log, random, TrimLimits.DEFAULTS, Runnable::run);
  }

  Staging staging() {
    return new Staging(root, log, random, Runnable::run);
  }

  static ProducerSequence sequence(String producer, long sequence) {
    return new ProducerSequence(producer, sequence);
  }

  /// One row with the given id into table 1.
  AppendOutcome append(WalWriter writer, long id, @Nullable ProducerSequence producer) {
    List<AppendBatch> batches = List.of(Rows.upsert(allocator, 1, producer, id, 1));
    try {
      return writer.append(batches).get(0);
    } finally {
      Rows.close(batches);
    }
  }

  AppendOutcome append(WalWriter writer, long id) {
    return append(writer, id, null);
  }

  /// A writer without one rule.
  WalWriter writer(String without, UUID id) {
    return WeakenedWal.writer(root, log, random, () -> now, LIMITS, pause, without, id);
  }

  WalWriter writer(String without) {
    return writer(without, new UUID(9, random.nextLong()));
  }

  /// Moves what is readable up to a number into the table, and trims.
  void materializeAndTrim(long number) {
    table.addAll(readable(number));
    assertThat(trimTo(number).outcome()).isEqualTo(TrimResult.Outcome.TRIMMED);
  }

  /// All rows: those of the table and those in the log.
  List<Long> all() {
    List<Long> all = new ArrayList<>(table);
    all.addAll(readable());
    return all;
  }

  /// A segment of a writer that gave up is on its way to a slot: [FaultyObjectStore#land] lands it.
  void ghost(long number, long id, @Nullable ProducerSequence producer) {
    for (int i = 0; i < PUTS_BEFORE_DEADLINE; i++) {
      store.script(StoreOp.PUT_IF_ABSENT, segment(number), FaultyObjectStore.Toxic.DELAY);
    }
    assertThat(append(writer(), id, producer)).isInstanceOf(AppendOutcome.Unknown.class);
    assertThat(store.travelling()).isEqualTo(PUTS_BEFORE_DEADLINE);
  }

  /// Everything up to a number is materialized: it is trimmed.
  TrimResult trimTo(long number) {
    return trimmer().trim(blocks -> TableState.at(number));
  }

  /// Deletes without grace, as if an hour had passed.
  void deleteBelow(long number) {
    counted.delete(LongStream.rangeClosed(1, number).mapToObj(n -> Paths.segment(log, n)).toList());
  }

  /// The keys of table 1 above the boundary, as a fresh reader finds them.
  List<Long> readable() {
    return readable(Long.MAX_VALUE);
  }

  private List<Long> readable(long number) {
    LogReader reader = reader();
    Boundary noted = reader.newestBoundary();
    SegmentRun run = reader.read(noted.number());
    if (!reader.confirm(noted, run)) {
      throw new IllegalStateException("nothing moves here");
    }
    List<Long> ids = new ArrayList<>();
    for (BlockRef block : run.blocks(Rows.table(1))) {
      if (block.number() > number) {
        break;
      }
      for (String row : Rows.read(reader, block, allocator)) {
        ids.add(Long.parseLong(row.substring(0, row.indexOf('='))));
      }
    }
    return ids;
  }

  Predicate<String> segment(long number) {
    return key -> key.equals(Paths.segment(log, number));
  }

  Predicate<String> boundary(long round) {
    return key -> key.equals(Paths.boundary(log, round));
  }

  /// The number that an outcome names.
  static long number(AppendOutcome outcome) {
    if (outcome instanceof AppendOutcome.Appended appended) {
      return appended.position().number();
    }
    throw new AssertionError("expected appended, was " + outcome);
  }

  String keys() {
    return counted.list("", "", 1000).stream()
        .map(meta -> meta.key())
        .collect(Collectors.joining("\n"));
  }

  @Override
  public void close() {
    allocator.close();
  }
}
