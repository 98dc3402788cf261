package io.icewal.tail;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.wal.BlockRef;
import io.icewal.wal.SegmentRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/// Follows the log of a table from any position on: its blocks in order, materialized or not, as
/// long as their segments are there. Thread-safe.
///
/// Above the boundary it reads as everybody does. Below it, segments stay for the grace of
/// trimming; those that are still there are proven to be the log's own by the summaries of the trim
/// rounds ([LogReader#readTrimmed]). Where they are gone, nothing was missed if the table has not
/// been materialized beyond the position; else the answer is an error, never fewer rows.
public final class Follower {
  private final TailReader tails;

  public Follower(TailReader tails) {
    this.tails = tails;
  }

  /// The next blocks of a table.
  ///
  /// @param after everything up to it was read
  /// @param committed loads the table now, without any cache, and gives its position
  /// @param last at most up to this number
  /// @param rowsMax no more rows than this, unless a single segment has more
  /// @return what comes after the position, perhaps nothing: it ends where the next one begins
  /// @throws IcewalException INVALID for a position of another log, and if blocks after it may be
  ///   gone; CORRUPT for a damaged log; UNAVAILABLE
  public Tail read(
      UUID tableId, Position after, Supplier<Position> committed, long last, long rowsMax) {
    if (after.number() >= last) {
      throw new IllegalArgumentException("nothing comes after " + after + " up to " + last);
    }
    for (int start = 0; start < tails.limits().startsMax(); start++) {
      Optional<Tail> tail = readOnce(tails.begin(tableId), tableId, after, committed);
      if (tail.isPresent()) {
        return firstRows(tail.get().upTo(last), rowsMax);
      }
    }
    throw moved(tableId);
  }

  /// All blocks between two positions that were read before.
  ///
  /// @throws IcewalException as [#read]; and CORRUPT if the log ends before the second one
  public Tail range(UUID tableId, Position after, Position end, Supplier<Position> committed) {
    if (after.equals(end)) {
      Cut cut = tails.begin(tableId);
      cut.checkOwn(tableId, after);
      return new Tail(
          tableId, after, after, List.of(), 0, cut.reader(), tails.keys(), tails.indexes());
    }
    Tail tail = read(tableId, after, committed, end.number(), Long.MAX_VALUE);
    while (tail.end().number() < end.number()) {
      Tail more = read(tableId, tail.end(), committed, end.number(), Long.MAX_VALUE);
      if (more.end().equals(tail.end())) {
        throw new IcewalException(
            ErrorKind.CORRUPT,
            "the log ends at " + tail.end() + ", where it was known to reach " + end);
      }
      tail = tail.with(more);
    }
    return tail;
  }

  /// The end of a table's log: nothing that is appended from now on is before it.
  public Position end(UUID tableId) {
    for (int start = 0; start < tails.limits().startsMax(); start++) {
      Cut cut = tails.begin(tableId);
      Optional<Tail> tail = follow(cut, tableId, cut.log().at(cut.boundary().number()));
      if (tail.isPresent()) {
        return tail.get().end();
      }
    }
    throw moved(tableId);
  }

  private IcewalException moved(UUID tableId) {
    return new IcewalException(
        ErrorKind.UNAVAILABLE,
        "the boundary moved during each of "
            + tails.limits().startsMax()
            + " tries to read the log of table "
            + tableId);
  }

  private Optional<Tail> readOnce(
      Cut cut, UUID tableId, Position after, Supplier<Position> committed) {
    cut.checkOwn(tableId, after);
    if (after.number() < cut.boundary().number()) {
      Position now = committed.get();
      if (now.number() > after.number()) {
        return Optional.of(trimmed(cut, tableId, after, now));
      }
      cut.checkNotBehind(tableId, now);
      // Whatever was trimmed since is of other tables, or parked.
    }
    return follow(cut, tableId, after);
  }

  private static Optional<Tail> follow(Cut cut, UUID tableId, Position after) {
    try {
      return cut.follow(tableId, after);
    } catch (IcewalException e) {
      if (e.kind() == ErrorKind.CONFLICT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Tail trimmed(Cut cut, UUID tableId, Position after, Position now) {
    Optional<SegmentRun> run = cut.reader().readTrimmed(after.number());
    if (run.isEmpty()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "what comes after position "
              + after
              + " of table "
              + tableId
              + " is no longer in the log: it is trimmed up to "
              + cut.boundary().number()
              + ", the table is materialized up to "
              + now.number()
              + ", and segments are kept for the time of log.grace only");
    }
    List<BlockRef> blocks = new ArrayList<>(run.get().blocks(tableId));
    blocks.removeIf(cut.reader()::isLost);
    return new Tail(
        tableId,
        after,
        cut.log().at(run.get().end()),
        blocks,
        0,
        cut.reader(),
        tails.keys(),
        tails.indexes());
  }

  private static Tail firstRows(Tail tail, long rowsMax) {
    long rows = 0;
    long number = tail.from().number();
    for (BlockRef block : tail.blocks()) {
      if (rows > 0 && block.number() != number && rows + block.rows() > rowsMax) {
        return tail.upTo(number);
      }
      rows += block.rows();
      number = block.number();
    }
    return tail;
  }
}
