package io.icewal.parquet;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.io.OutputFile;

/// Writes canonical Arrow rows as one Parquet file, column by column.
///
/// Lifecycle: [#write] any number of times, then [#finish] once; [#close] without it drops the
/// file's unwritten part (what the store keeps of it is the store's affair: an object store keeps
/// nothing). Not thread-safe. Keeps no reference to the rows.
public final class ParquetColumnWriter implements AutoCloseable {
  /// Footer entry of the files that are sorted by their key: the key's field ids, comma separated.
  public static final String SORTED_BY = "icewal.sorted-by";

  /// @param schema the columns of the file; may end with `_row_id` and
  ///   `_last_updated_sequence_number` of Iceberg's MetadataColumns
  public ParquetColumnWriter(OutputFile out, Schema schema, WriterSettings settings) {
    throw new UnsupportedOperationException();
  }

  /// Appends all rows. A column of the schema that is not in `rows` is null.
  public void write(VectorSchemaRoot rows) {
    write(rows, 0, rows.getRowCount());
  }

  /// Appends the rows `from` (inclusive) to `to` (exclusive).
  public void write(VectorSchemaRoot rows, int from, int to) {
    throw new UnsupportedOperationException();
  }

  /// Rows written up to now.
  public long rows() {
    throw new UnsupportedOperationException();
  }

  /// Bytes of the file up to now, those in memory included.
  public long bytes() {
    throw new UnsupportedOperationException();
  }

  /// Ends the file.
  public WrittenFile finish() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
