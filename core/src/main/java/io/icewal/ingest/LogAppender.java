package io.icewal.ingest;

import io.icewal.model.IcewalException;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import java.util.List;

/// The one call that a group commit makes on its log: `WalWriter::append`, or a fake in tests.
@FunctionalInterface
public interface LogAppender {
  /// Makes the batches durable, in their order, normally as one segment. Does not close the rows.
  ///
  /// @return one outcome for each batch, in the same order
  /// @throws IcewalException if nothing of it can have been stored
  List<AppendOutcome> append(List<AppendBatch> batches);
}
