package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.StoredBytes;
import io.icewal.wal.Defences.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/// Reads one log. Thread-safe.
///
/// A reader of rows goes in this order (`tail` does):
///
/// 1. note the newest boundary b;
/// 2. load the table: its position p;
/// 3. take the parked blocks after p from b's summary, then [#read] after max(p, b);
/// 4. look at the boundary again ([#confirm]): above max(p, b), start over.
///
/// How a run is read:
///
/// 1. A list gives the numbers; a gap in them is a hole, if it is none of the boundary's making.
///    (Whoever asks after the end that it saw last asks for the next slot first, and lists only if
///    something is there.)
/// 2. The footers come by one GET each of the object's end, several at a time; small segments come
///    whole and are kept. Footers that were checked before are not asked for again.
/// 3. What does not fit (a hole, a bad footer, a wrong predecessor) is damage only if a look at the
///    boundary after it still finds the boundary below it: else it is a ghost, and the answer is to
///    start over.
public final class LogReader {
  private static final int LIST_PAGE = 1000;

  private final LogName log;
  private final ObjectStore store;
  private final ReaderLimits limits;
  private final Parallel parallel;
  private final BoundaryLog boundaries;
  private final SegmentCache cache;
  private final Defences defences;
  private volatile long endSeen = -1;

  /// Damaged blocks that an operator has given up, as they were found.
  private final Set<LostBlock> lost = ConcurrentHashMap.newKeySet();

  private record LostBlock(UUID segmentId, int index) {}

  /// @param executor runs requests, perhaps in the calling thread; the calling thread waits for
  ///   them, so it must not be one of a bounded executor's own
  public LogReader(LogRoot root, LogName log, Executor executor, ReaderLimits limits) {
    this(root, log, executor, limits, Defences.ALL);
  }

  LogReader(LogRoot root, LogName log, Executor executor, ReaderLimits limits, Defences defences) {
    root.checkOwn(log.at(0));
    this.log = log;
    this.store = root.store();
    this.limits = limits;
    this.parallel = new Parallel(executor, limits.parallel());
    this.boundaries = new BoundaryLog(store, log);
    this.cache = new SegmentCache(limits.cachedBytesMax());
    this.defences = defences;
  }

  public LogName log() {
    return log;
  }

  /// The newest boundary: a LIST as a hint the first time, then GETs of the next rounds until there
  /// is none.
  public Boundary newestBoundary() {
    return boundaries.newest();
  }

  /// The summary of a boundary.
  ///
  /// @throws IcewalException CONFLICT if it is gone: start over from the newest boundary
  public Summary summary(Boundary boundary) {
    return boundaries.summary(boundary);
  }

  /// The footers of the segments after a number up to the first absent one. They are not yet
  /// checked against the boundary.
  ///
  /// @throws IcewalException CORRUPT for a hole or a bad footer, naming the exact place; CONFLICT
  ///   if the boundary has passed what was read: start over
  public SegmentRun read(long afterNumber) {
    return read(afterNumber, /* isPresent= */ false);
  }

  /// [#read] after a segment that must be there: a table's position above the boundary. If it is
  /// not, the log has lost its end, and what is appended now would land where the table does not
  /// look any more.
  public SegmentRun readAfterPresent(long number) {
    return read(number, /* isPresent= */ true);
  }

  private SegmentRun read(long afterNumber, boolean isPresent) {
    SegmentFooter next = null;
    if (afterNumber == endSeen) {
      next = lookAt(afterNumber + 1).orElse(null);
      if (next == null) {
        return new SegmentRun(afterNumber, afterNumber, List.of());
      }
    }
    int max = limits.segmentsMax() + 1;
    List<Long> numbers =
        isPresent ? presentAfter(afterNumber, max) : numbersAfter(afterNumber, max);
    SegmentRun run = run(afterNumber, numbers, next);
    if (run.segments().size() > limits.segmentsMax()) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "log "
              + log
              + " has more than "
              + limits.segmentsMax()
              + " segments after "
              + afterNumber
              + ": nothing trims it, start a maintenance runner");
    }
    endSeen = run.end();
    return run;
  }

  /// [#read], but at most so many segments: a run that may end before the log does.
  public SegmentRun readSome(long afterNumber, int segmentsMax) {
    return run(afterNumber, numbersAfter(afterNumber, segmentsMax), null);
  }

  /// Trimmed segments after a number, up to the end of one trim round: those that were not deleted
  /// yet. They count if the round's summary names the last of them and each names the one before: a
  /// ghost in one of the slots has another UUID.
  ///
  /// @param afterNumber below the boundary
  /// @return empty if any of them is gone, or cannot be proven to be the log's own
  public Optional<SegmentRun> readTrimmed(long afterNumber) {
    Boundary round = boundaries.firstAbove(afterNumber);
    try {
      Summary summary = boundaries.summary(round);
      SegmentRun run = readSome(afterNumber, Math.toIntExact(round.number() - afterNumber));
      if (run.end() != round.number() || !isProven(run.segments(), summary.lastSegmentId())) {
        return Optional.empty();
      }
      run.segments().forEach(cache::putChecked);
      return Optional.of(run);
    } catch (IcewalException e) {
      if (e.kind() == ErrorKind.CONFLICT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static boolean isProven(List<SegmentFooter> segments, UUID lastId) {
    UUID expected = lastId;
    for (int i = segments.size() - 1; i >= 0; i--) {
      SegmentFooter segment = segments.get(i);
      if (expected.equals(SegmentFooter.NONE)
          || segment.acceptedLoss() != null
          || !segment.id().equals(expected)) {
        return false;
      }
      expected = segment.previousId();
    }
    return true;
  }

  /// @param first the footer of the first segment, if it was read just now
  private SegmentRun run(long afterNumber, List<Long> numbers, @Nullable SegmentFooter first) {
    List<SegmentFooter> footers =
        parallel.map(
            numbers,
            number -> first != null && number == first.number() ? first : footerInRun(number));
    for (int i = 1; i < footers.size(); i++) {
      checkOrder(footers.get(i - 1), footers.get(i));
    }
    return new SegmentRun(afterNumber, afterNumber + footers.size(), footers);
  }

  /// The look after: true if the newest boundary is still at or below the base, so that what was
  /// seen after the base counts.
  ///
  /// @param noted a boundary noted earlier, as a hint where to look from
  /// @param base the number before the first slot that was looked at
  public boolean stillAbove(Boundary noted, long base) {
    return boundaries.newestAfter(noted).number() <= base
        || defences.lacks(Rule.LOOK_AFTER_READING);
  }

  /// [#stillAbove] for a run, whose segments stay cached if it is true.
  public boolean confirm(Boundary noted, SegmentRun run) {
    if (!stillAbove(noted, run.after()) && !passesWithoutRule(run)) {
      return false;
    }
    run.segments().forEach(cache::putChecked);
    return true;
  }

  /// The key columns of a block, and `_op` if it is MIXED. Empty for a table without key.
  ///
  /// @throws IcewalException CONFLICT if the object is gone, another one is in its place, or its
  ///   damage was found to be accepted just now: start over; CORRUPT if its bytes are damaged
  public FrameRows readKeys(BlockRef block, BufferAllocator allocator) {
    return blockReader().read(block, block.location().keys(), allocator);
  }

  /// The other columns of a block; empty if it has none.
  ///
  /// @throws IcewalException as [#readKeys]
  public FrameRows readRest(BlockRef block, BufferAllocator allocator) {
    return blockReader().read(block, block.location().rest(), allocator);
  }

  /// Whether this reader has found the block damaged, and an operator has accepted the loss: it
  /// counts as one without rows.
  public boolean isLost(BlockRef block) {
    return lost.contains(new LostBlock(block.segmentId(), block.index()));
  }

  void markLost(BlockRef block) {
    lost.add(new LostBlock(block.segmentId(), block.index()));
  }

  BlockReader blockReader() {
    return new BlockReader(store, cache, this);
  }

  /// The footer at a slot, if there is an object.
  ///
  /// @throws IcewalException CORRUPT if it is bad and no operator has accepted its loss
  Optional<SegmentFooter> footerAt(long number) {
    Optional<SegmentFooter> checked = cache.checked(number);
    return checked.isPresent() ? checked : fetchFooter(number);
  }

  /// The footer of the object that is at a slot now.
  Optional<SegmentFooter> fetchFooter(long number) {
    String key = Paths.segment(log, number);
    Optional<StoredBytes> tail = store.get(key, new ByteRange.Suffix(limits.suffixBytes()));
    return tail.flatMap(bytes -> decode(number, key, bytes));
  }

  /// [#footerAt], where a bad footer may be a sign that the boundary has passed the slot.
  Optional<SegmentFooter> lookAt(long number) {
    try {
      return footerAt(number);
    } catch (IcewalException e) {
      throw e.kind() == ErrorKind.CORRUPT ? damage(number, e) : e;
    }
  }

  private Optional<SegmentFooter> decode(long number, String key, StoredBytes first) {
    StoredBytes tail = first;
    try {
      long need = Math.min(SegmentCodec.footerBytes(tail), tail.meta().size());
      if (need > tail.bytes().length) {
        Optional<StoredBytes> more = store.get(key, new ByteRange.Suffix(Math.toIntExact(need)));
        if (more.isEmpty()) {
          return Optional.empty();
        }
        tail = more.get();
      }
      SegmentFooter footer = SegmentCodec.decodeFooter(log, number, tail);
      if (tail.offset() == 0) {
        cache.putWhole(footer.id(), tail.bytes());
      }
      return Optional.of(footer);
    } catch (IcewalException e) {
      return Optional.of(AcceptedLoss.footer(store, log, number, first.meta(), e));
    }
  }

  /// The contiguous numbers of present segments after a number.
  private List<Long> numbersAfter(long afterNumber, int max) {
    List<Long> numbers = new ArrayList<>();
    String prefix = Paths.segments(log);
    String after = afterNumber == 0 ? "" : Paths.segment(log, afterNumber);
    List<ObjectMeta> page;
    do {
      page = store.list(prefix, after, LIST_PAGE);
      for (ObjectMeta meta : page) {
        long number = Paths.segmentNumber(meta.key());
        while (afterNumber + numbers.size() + 1 < number) {
          numbers.add(notAHole(afterNumber + numbers.size() + 1, number));
        }
        numbers.add(number);
        after = meta.key();
      }
    } while (page.size() == LIST_PAGE && numbers.size() < max);
    return numbers.size() <= max ? numbers : numbers.subList(0, max);
  }

  /// [#numbersAfter] a segment that must be listed itself.
  private List<Long> presentAfter(long number, int max) {
    List<Long> numbers = numbersAfter(number - 1, max + 1);
    if (numbers.isEmpty()) {
      throw damage(
          number,
          new IcewalException(
              ErrorKind.CORRUPT,
              "log "
                  + log
                  + " ends before segment "
                  + number
                  + ", which a table has materialized: was it restored from a backup? "
                  + Paths.segment(log, number)
                  + " is missing in "
                  + store.describe()));
    }
    return numbers.subList(1, numbers.size());
  }

  /// A number that was not listed while a later one was: a list is not made at one instant.
  private long notAHole(long number, long listed) {
    if (lookAt(number).isPresent()) {
      return number;
    }
    throw damage(
        number,
        new IcewalException(
            ErrorKind.CORRUPT,
            "segment "
                + number
                + " is missing although segment "
                + listed
                + " is there: "
                + Paths.segment(log, number)
                + " in "
                + store.describe()));
  }

  private SegmentFooter footerInRun(long number) {
    Optional<SegmentFooter> footer = lookAt(number);
    if (footer.isPresent()) {
      return footer.get();
    }
    throw damage(
        number,
        new IcewalException(
            ErrorKind.CORRUPT,
            "segment " + number + " was listed but is gone: " + Paths.segment(log, number)));
  }

  private void checkOrder(SegmentFooter before, SegmentFooter after) {
    if (!after.follows(before.idForNext())) {
      throw damage(
          before.number(),
          new IcewalException(
              ErrorKind.CORRUPT,
              "segment "
                  + after.number()
                  + " follows "
                  + after.previousId()
                  + " but segment "
                  + before.number()
                  + " is "
                  + before.id()
                  + ": "
                  + Paths.segment(log, before.number())
                  + " was replaced"));
    }
  }

  /// Damage at a slot, or only a sign that the boundary has passed it.
  IcewalException damage(long number, IcewalException damage) {
    Boundary newest = boundaries.newest();
    return newest.number() < number
        ? damage
        : new IcewalException(
            ErrorKind.CONFLICT,
            "segment " + number + " was trimmed meanwhile (" + newest + "): start over",
            damage);
  }

  /// Whether a run is taken although the boundary has passed its base: only in tests that leave out
  /// a rule.
  private boolean passesWithoutRule(SegmentRun run) {
    if (defences.lacks(Rule.ABSENCE_IS_LOOKED_AT)) {
      return run.segments().isEmpty();
    }
    if (defences.has(Rule.SEQUENCES_NEVER_VOUCH_TO_READERS)) {
      return false;
    }
    Boundary newest = boundaries.newest();
    return run.segments().stream().allMatch(summary(newest)::vouchesFor);
  }
}
