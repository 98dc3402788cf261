package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.wal.Defences.Rule;
import io.icewal.wal.TrimResult.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

/// Trims one log. Any number of trimmers may run: one wins each round. Not thread-safe.
///
/// A round:
///
/// 1. (a) The largest B is found such that every block of every segment up to B is materialized or
///    will be parked ([TrimPlan]).
/// 2. (b) Blocks to be parked are copied ([Parking]); then the summary of all up to B is written
///    ([SummaryFunction]).
/// 3. (c) The boundary of the next round is put if absent: B and the summary. Who loses this race
///    has done nothing. Nothing that was read can have been a ghost if it is won: it was read above
///    a boundary that had not moved until then.
/// 4. (d) [#deleteBelowBoundary], after a grace, deletes what is superfluous.
///
/// No boundary before its summary, no deletion before the boundary.
public final class WalTrimmer {
  private static final int PUT_ATTEMPTS_MAX = 3;

  /// Rounds come every 256 segments; after a long rest they catch up in steps of this size.
  private static final int SEGMENTS_PER_ROUND_MAX = 8192;

  private final LogName log;
  private final ObjectStore store;
  private final RandomGenerator random;
  private final TrimLimits limits;
  private final LogReader reader;
  private final BoundaryLog boundaries;
  private final Defences defences;
  private final TrimmedObjects trimmed;

  /// @param executor runs requests; it may run them in the calling thread
  public WalTrimmer(
      LogRoot root, LogName log, RandomGenerator random, TrimLimits limits, Executor executor) {
    this(root, log, random, limits, executor, Defences.ALL);
  }

  WalTrimmer(
      LogRoot root,
      LogName log,
      RandomGenerator random,
      TrimLimits limits,
      Executor executor,
      Defences defences) {
    this.log = log;
    this.store = root.store();
    this.random = random;
    this.limits = limits;
    this.reader = new LogReader(root, log, executor, ReaderLimits.FOOTERS_ONLY);
    this.boundaries = new BoundaryLog(store, log);
    this.defences = defences;
    this.trimmed = new TrimmedObjects(store, log, boundaries, limits);
  }

  /// One round.
  ///
  /// @param tables asked for each table that has blocks in the log or parked ones
  /// @throws IcewalException UNAVAILABLE, or CORRUPT if the log is damaged
  public TrimResult trim(Function<TableBlocks, TableState> tables) {
    Boundary before = boundaries.newest();
    try {
      Summary summary = boundaries.summary(before);
      SegmentRun run = reader.readSome(before.number(), SEGMENTS_PER_ROUND_MAX);
      TrimPlan plan = TrimPlan.of(summary, run, tables);
      if (plan.number() == before.number()) {
        return result(Outcome.NOTHING, before, plan);
      }
      return publish(before, summary, run, plan);
    } catch (IcewalException e) {
      if (e.kind() != ErrorKind.CONFLICT) {
        throw e;
      }
      return new TrimResult(Outcome.OVERTAKEN, before, List.of(), List.of(), List.of());
    }
  }

  private TrimResult publish(Boundary before, Summary summary, SegmentRun run, TrimPlan plan) {
    long round = before.k() + 1;
    Parking parking =
        new Parking(store, log, reader.blockReader(), random, round, limits.parkedObjectBytesMax());
    List<BlockRef> parked = new ArrayList<>(plan.carried());
    parked.addAll(parking.park(plan.toPark()));
    List<SegmentFooter> segments =
        run.segments().subList(0, Math.toIntExact(plan.number() - run.after()));
    Summary next = SummaryFunction.next(summary, segments, plan, parked, limits.producerIdle());
    String key = Paths.summary(log, round, Ids.random(random));
    Boundary boundary = new Boundary(round, plan.number(), key);
    if (defences.lacks(Rule.BOUNDARY_BEFORE_DELETE)) {
      store.delete(keysUpTo(plan.number()));
    }
    if (defences.has(Rule.SUMMARY_BEFORE_BOUNDARY)) {
      store.put(key, SummaryCodec.encode(next));
    }
    Outcome outcome = put(boundary);
    if (defences.lacks(Rule.SUMMARY_BEFORE_BOUNDARY)) {
      store.put(key, SummaryCodec.encode(next));
    }
    return result(outcome, outcome == Outcome.TRIMMED ? boundary : before, plan);
  }

  /// Step (c). An unknown put may still land later: then it is right then, too.
  private Outcome put(Boundary boundary) {
    for (int attempt = 0; attempt < PUT_ATTEMPTS_MAX; attempt++) {
      if (boundaries.put(boundary) instanceof PutOutcome.Created) {
        return Outcome.TRIMMED;
      }
      Optional<Boundary> there = boundaries.get(boundary.k());
      if (there.isPresent()) {
        return there.get().equals(boundary) ? Outcome.TRIMMED : Outcome.OVERTAKEN;
      }
    }
    return Outcome.UNKNOWN;
  }

  private static TrimResult result(Outcome outcome, Boundary boundary, TrimPlan plan) {
    boolean done = outcome == Outcome.TRIMMED;
    return new TrimResult(
        outcome,
        boundary,
        done ? plan.toPark() : List.of(),
        done ? plan.dropped() : List.of(),
        plan.alarms());
  }

  private List<String> keysUpTo(long number) {
    return LongStream.rangeClosed(1, number).mapToObj(n -> Paths.segment(log, n)).toList();
  }

  /// Deletes what boundaries older than the grace made superfluous: segments, stragglers, old
  /// summaries, parked objects that are no longer listed.
  ///
  /// @return how many objects were deleted
  public int deleteBelowBoundary() {
    return trimmed.delete();
  }
}
