package io.icewal.read;

import java.util.BitSet;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/// Rows of one place, batch by batch, in the columns of [ScanColumns#read]. Implementations:
/// [ParquetRows], [RecordRows], [TailRows], [CountedRows].
interface RowSource extends AutoCloseable {
  /// A batch, which belongs to its source and is valid until the next call.
  ///
  /// @param rows the columns; their buffers may be moved out
  /// @param dead rows that do not count; null if all count
  record Batch(VectorSchemaRoot rows, @Nullable BitSet dead) {}

  /// The next batch; null at the end.
  @Nullable Batch next();

  @Override
  void close();
}
