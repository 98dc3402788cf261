package io.icewal.parquet;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.io.InputFile;

/// The sorted keys of one data file by random access.
public final class FileKeys implements AutoCloseable {
  /// Rows that have one of the keys: `keyIndex[i]` of the searched vector is in file row `row[i]`.
  public record Matches(int count, int[] keyIndex, long[] row) {}

  private FileKeys() {}

  public static FileKeys open(InputFile in, DataFile file, KeyColumns key, KeyPageCache cache) {
    throw new UnsupportedOperationException();
  }

  /// Finds keys `from` to `to` (exclusive) of a sorted vector.
  public Matches find(KeyVector sortedKeys, int from, int to) {
    throw new UnsupportedOperationException();
  }

  /// `_row_id` of the given rows, ascending.
  public long[] rowIds(long[] sortedRows) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
