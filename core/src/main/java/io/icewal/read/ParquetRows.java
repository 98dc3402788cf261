package io.icewal.read;

import io.icewal.parquet.ParquetColumnReader;
import java.util.BitSet;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/// The rows of a Parquet data file.
final class ParquetRows implements RowSource {
  private final ParquetColumnReader reader;
  private final DeletedRows deleted;

  /// @param reader closed with this
  ParquetRows(ParquetColumnReader reader, DeletedRows deleted) {
    this.reader = reader;
    this.deleted = deleted;
  }

  @Override
  public @Nullable Batch next() {
    VectorSchemaRoot rows = reader.next();
    return rows == null ? null : new Batch(rows, dead(rows.getRowCount()));
  }

  private @Nullable BitSet dead(int count) {
    if (deleted.existing() == null && deleted.hidden().length == 0) {
      return null;
    }
    long[] rows = new long[count];
    for (int i = 0; i < count; i++) {
      rows[i] = reader.row(i);
    }
    return deleted.among(rows);
  }

  @Override
  public void close() {
    reader.close();
  }
}
