package io.icewal.tail;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.wal.BlockRef;
import io.icewal.wal.Boundary;
import io.icewal.wal.LogReader;
import io.icewal.wal.SegmentFooter;
import io.icewal.wal.SegmentRun;
import io.icewal.wal.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A boundary that was noted before a table was loaded. Good for one read of one table.
public final class Cut {
  private final TailReader tails;
  private final LogReader reader;
  private final Boundary boundary;

  Cut(TailReader tails, LogReader reader, Boundary boundary) {
    this.tails = tails;
    this.reader = reader;
    this.boundary = boundary;
  }

  public LogName log() {
    return reader.log();
  }

  /// The noted boundary.
  public Boundary boundary() {
    return boundary;
  }

  /// Steps 3 and 4 for a table that was loaded after this cut began.
  ///
  /// @param from the table's position
  /// @param atLeast the tail must reach this position: waits for it, within a bound
  /// @return empty: start over, from [TailReader#begin]
  /// @throws IcewalException INVALID for a position of another log; CONFLICT: start over;
  ///   UNAVAILABLE if `atLeast` is not reached in time; CORRUPT for a damaged log, or a table that
  ///   is behind what the log remembers of it
  public Optional<Tail> read(UUID tableId, Position from, @Nullable Position atLeast) {
    return read(tableId, from, from, atLeast);
  }

  /// What a version of the table lacks that was loaded before this cut was begun, and may be
  /// outdated since.
  ///
  /// @param from the version's position; not below the boundary, unless it is the current one
  /// @param current the table's position after this cut was begun
  /// @return as [#read(UUID, Position, Position)]
  /// @throws IcewalException as [#read(UUID, Position, Position)]
  public Optional<Tail> read(
      UUID tableId, Position from, Position current, @Nullable Position atLeast) {
    checkOwn(tableId, from);
    checkOwn(tableId, current);
    if (atLeast != null) {
      checkOwn(tableId, atLeast);
    }
    checkNotBehind(tableId, current);
    return after(tableId, from, atLeast);
  }

  /// What comes after a position that is none of the table's own: everything up to it was read by
  /// somebody who follows its log.
  ///
  /// @param from above the boundary, or nothing of the table after it was trimmed but parked blocks
  Optional<Tail> follow(UUID tableId, Position from) {
    checkOwn(tableId, from);
    return after(tableId, from, /* atLeast= */ null);
  }

  private Optional<Tail> after(UUID tableId, Position from, @Nullable Position atLeast) {
    Summary summary = reader.summary(boundary);
    long base = Math.max(from.number(), boundary.number());
    boolean isPresent = from.number() > boundary.number();
    SegmentRun run = readUpTo(base, isPresent, atLeast == null ? 0 : atLeast.number());
    // The first slot that was looked at, full or empty, is the one after the base.
    if (!reader.confirm(boundary, run)) {
      return Optional.empty();
    }
    List<BlockRef> blocks = new ArrayList<>(summary.parked(tableId, from.number()));
    blocks.removeIf(reader::isLost);
    int parked = blocks.size();
    blocks.addAll(run.blocks(tableId));
    blocks.removeIf(reader::isLost);
    Position end = log().at(run.end());
    return Optional.of(
        new Tail(tableId, from, end, blocks, parked, reader, tails.keys(), tails.indexes()));
  }

  LogReader reader() {
    return reader;
  }

  void checkOwn(UUID tableId, Position position) {
    tails.root().checkOwn(position);
    if (!position.log().equals(tails.root().logOf(tableId)) || !position.log().equals(log())) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "position "
              + position
              + " cannot be one of table "
              + tableId
              + ", whose log is "
              + tails.root().logOf(tableId));
    }
  }

  /// A table cannot be behind what a summary knew before the table was loaded, unless its catalog
  /// was put back to an older state: then blocks are missing that were trimmed since.
  ///
  /// @param from the table's position, loaded after this cut was begun
  void checkNotBehind(UUID tableId, Position from) {
    Summary.SeenTable seen = reader.summary(boundary).tablePositions().get(tableId);
    if (seen != null && seen.number() > from.number()) {
      throw new IcewalException(
          ErrorKind.CORRUPT,
          "table "
              + tableId
              + " is at position "
              + from
              + ", but the log knows that it was at "
              + seen.number()
              + " and has trimmed what is between: was its catalog restored from a backup?");
    }
  }

  /// Everything after the base, and again after a pause as long as the wanted position is missing.
  ///
  /// @param isPresent whether the base is a segment that must be there
  private SegmentRun readUpTo(long base, boolean isPresent, long atLeast) {
    SegmentRun run = isPresent ? reader.readAfterPresent(base) : reader.read(base);
    for (int pauses = 0; run.end() < atLeast; pauses++) {
      if (pauses == tails.limits().pausesMax()) {
        throw new IcewalException(
            ErrorKind.UNAVAILABLE,
            "position "
                + log().at(atLeast)
                + " is beyond the log's end, "
                + run.end()
                + ", also after "
                + tails.limits().pausesMax()
                + " pauses of "
                + tails.limits().pause().toMillis()
                + " ms");
      }
      tails.pause().pause(tails.limits().pause());
      SegmentRun more = reader.read(run.end());
      List<SegmentFooter> all = new ArrayList<>(run.segments());
      all.addAll(more.segments());
      run = new SegmentRun(base, more.end(), all);
    }
    return run;
  }
}
