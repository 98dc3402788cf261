package io.icewal.wal;

import io.icewal.model.LogName;
import java.util.concurrent.Executor;
import org.apache.arrow.memory.BufferAllocator;

/// Reads one log. Thread-safe.
public final class LogReader {
  public LogReader(LogRoot root, LogName log, Executor executor, ReaderLimits limits) {}

  public LogName log() {
    throw new UnsupportedOperationException();
  }

  /// The newest boundary: a LIST as a hint, then GETs of the next rounds until there is none.
  public Boundary newestBoundary() {
    throw new UnsupportedOperationException();
  }

  /// The summary of a boundary.
  ///
  /// @throws IcewalException CONFLICT if it is gone: start over from the newest boundary
  public Summary summary(Boundary boundary) {
    throw new UnsupportedOperationException();
  }

  /// The footers of the segments after a number up to the first absent one. They are not yet
  /// checked against the boundary.
  ///
  /// @throws IcewalException CORRUPT for a hole or a bad footer, naming the exact place; CONFLICT
  ///   if the boundary has passed what was read: start over
  public SegmentRun read(long afterNumber) {
    throw new UnsupportedOperationException();
  }

  /// The look after: true if the newest boundary is still at or below the base, so that what was
  /// seen after the base counts.
  ///
  /// @param noted a boundary noted earlier, as a hint where to look from
  /// @param base the number before the first slot that was looked at
  public boolean stillAbove(Boundary noted, long base) {
    throw new UnsupportedOperationException();
  }

  /// [#stillAbove] for a run, whose segments stay cached if it is true.
  public boolean confirm(Boundary noted, SegmentRun run) {
    throw new UnsupportedOperationException();
  }

  /// The key columns of a block, and `_op` if it is MIXED. Empty for a table without key.
  ///
  /// @throws IcewalException CONFLICT if the object is gone or another one is in its place: start
  ///   over; CORRUPT if its bytes are damaged
  public FrameRows readKeys(BlockRef block, BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }

  /// The other columns of a block; empty if it has none.
  ///
  /// @throws IcewalException as [#readKeys]
  public FrameRows readRest(BlockRef block, BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }
}
