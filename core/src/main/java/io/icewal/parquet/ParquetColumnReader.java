package io.icewal.parquet;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;

/// Reads a Parquet file as canonical Arrow rows of a projection, column by column.
///
/// Columns are found by field id (or by a name mapping in files without ids), nested ones too. A
/// column that the file does not have is its initial default, else null; one of an older type is
/// promoted. The metadata columns `_pos`, `_file`, `_spec_id`, `_row_id` and
/// `_last_updated_sequence_number` may be projected. Files of any writer are read: V1 and V2 pages,
/// every encoding and codec that parquet-java knows.
///
/// Ownership: the batch that [#next] returns belongs to the reader and is valid until the next call
/// of [#next] or [#close]; [ArrowRows#take] moves its buffers into a root of the caller. Not
/// thread-safe.
public final class ParquetColumnReader implements AutoCloseable {
  private ParquetColumnReader() {}

  /// @param projection the wanted columns with the table's current types and defaults
  public static ParquetColumnReader open(
      InputFile in, Schema projection, ReadContext context, BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }

  /// The next rows, at least one; null at the end.
  public @Nullable VectorSchemaRoot next() {
    throw new UnsupportedOperationException();
  }

  /// File row number of the current batch's row 0.
  public long firstRow() {
    return row(0);
  }

  /// File row number of a row of the current batch.
  public long row(int index) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
