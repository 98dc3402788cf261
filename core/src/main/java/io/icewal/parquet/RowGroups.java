package io.icewal.parquet;

import java.util.List;
import org.apache.parquet.hadoop.metadata.BlockMetaData;

/// Where the row groups of a Parquet file begin. Immutable.
///
/// @param starts the byte at which each begins
/// @param firstRows the file row number of each one's first row
/// @param rows of the file
public record RowGroups(long[] starts, long[] firstRows, long rows) {
  /// Neighbouring rows of a file, by their number in it.
  ///
  /// @param to exclusive
  public record Rows(long from, long to) {}

  static RowGroups of(List<BlockMetaData> blocks) {
    long[] starts = new long[blocks.size()];
    long[] firstRows = new long[blocks.size()];
    long rows = 0;
    for (int i = 0; i < starts.length; i++) {
      starts[i] = blocks.get(i).getStartingPos();
      firstRows[i] = rows;
      rows += blocks.get(i).getRowCount();
    }
    return new RowGroups(starts, firstRows, rows);
  }

  /// The rows of the row groups that begin in a range of bytes. Ranges that cover the file without
  /// overlap have each row once.
  public Rows beginningIn(long start, long length) {
    return new Rows(firstRow(start), firstRow(start + length));
  }

  /// The first row of the first row group that begins at a byte or after it.
  private long firstRow(long start) {
    for (int i = 0; i < starts.length; i++) {
      if (starts[i] >= start) {
        return firstRows[i];
      }
    }
    return rows;
  }

  long heapBytes() {
    return 64 + 16L * starts.length;
  }
}
