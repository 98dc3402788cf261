package io.icewal.parquet;

import io.icewal.merge.KeyVector;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;

/// What is needed of a file's footer and page index to find keys in it. Immutable.
///
/// @param sorted whether the rows are in key order and the key columns searchable; else there are
///   no groups
/// @param hasRowIds whether the file has a `_row_id` column
/// @param rowGroups of any file
record KeyFileIndex(boolean sorted, boolean hasRowIds, RowGroups rowGroups, List<Group> groups) {

  /// One row group.
  ///
  /// @param columns its key columns in the order of the key schema's leaves
  /// @param rowIds its `_row_id` column, if that is searchable too
  /// @param lower for each page a key that none of it is below; ascending
  /// @param upper for each page a key that none of it is above; ascending
  record Group(
      long firstRow,
      long rowCount,
      List<Column> columns,
      @Nullable Column rowIds,
      long[] pageRows,
      KeyVector lower,
      KeyVector upper) {
    int pages() {
      return pageRows.length;
    }

    /// Row in the group of the row after a page's last.
    long pageEnd(int page) {
      return page + 1 < pageRows.length ? pageRows[page + 1] : rowCount;
    }
  }

  /// One column chunk: where its pages lie.
  record Column(
      ColumnDescriptor descriptor, CompressionCodecName codec, long[] offsets, int[] sizes) {}

  long heapBytes() {
    long bytes = 100 + rowGroups.heapBytes();
    for (Group group : groups) {
      int columns = group.columns.size() + (group.rowIds == null ? 0 : 1);
      bytes += group.pages() * (8L + 12L * columns);
      bytes += group.lower.heapBytes() + group.upper.heapBytes() + 200;
    }
    return bytes;
  }
}
