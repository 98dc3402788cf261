package io.icewal.wal;

import io.icewal.model.LogName;
import io.icewal.model.RowBatch;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/// Objects that hold blocks until a segment publishes them by reference. Thread-safe.
public final class Staging {
  public Staging(LogRoot root, LogName log, RandomGenerator random, Executor executor) {}

  /// Stores rows as one block in an object of its own. Nothing sees them until a [WalWriter]
  /// appends the result. The rows are read, not closed.
  public StagedBlock stage(BlockHeader header, List<RowBatch> rows) {
    throw new UnsupportedOperationException();
  }

  /// Deletes staged objects older than 72 h that no readable segment and no parked block refers to.
  ///
  /// @return how many objects were deleted
  public int deleteUnreferenced() {
    throw new UnsupportedOperationException();
  }
}
