package io.icewal.wal;

import io.icewal.model.LogName;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/// Trims one log. Any number of trimmers may run: one wins each round. Not thread-safe.
public final class WalTrimmer {
  public WalTrimmer(
      LogRoot root, LogName log, RandomGenerator random, TrimLimits limits, Executor executor) {}

  /// One round.
  ///
  /// @param tables asked for each table that has blocks in the log or parked ones
  public TrimResult trim(Function<TableBlocks, TableState> tables) {
    throw new UnsupportedOperationException();
  }

  /// Deletes what boundaries older than the grace made superfluous: segments, stragglers, old
  /// summaries, parked objects that are no longer listed.
  ///
  /// @return how many objects were deleted
  public int deleteBelowBoundary() {
    throw new UnsupportedOperationException();
  }
}
