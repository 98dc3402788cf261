package io.icewal.parquet;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/// Reads `_row_id` of chosen rows from a searchable column: only the pages that hold them.
record RowIdReader(PageFetcher fetcher, BufferAllocator allocator) {
  private static final int PAGES_PER_STEP = 256;

  /// Puts the stored ids of `rows[from]` to `rows[to]` (exclusive), all of this group, into `ids`;
  /// leaves those without one.
  void read(
      KeyFileIndex.Group group,
      KeyFileIndex.Column column,
      long[] rows,
      int from,
      int to,
      long[] ids)
      throws IOException {
    int next = from;
    while (next < to) {
      int[] pages = new int[PAGES_PER_STEP];
      int count = 0;
      int until = next;
      while (until < to) {
        int page = pageOf(group, rows[until]);
        if (count == 0 || pages[count - 1] != page) {
          if (count == PAGES_PER_STEP) {
            break;
          }
          pages[count++] = page;
        }
        until++;
      }
      readPages(group, column, Arrays.copyOf(pages, count), rows, next, until, ids);
      next = until;
    }
  }

  private static int pageOf(KeyFileIndex.Group group, long row) {
    int found = Arrays.binarySearch(group.pageRows(), row - group.firstRow());
    return found >= 0 ? found : -found - 2;
  }

  private void readPages(
      KeyFileIndex.Group group,
      KeyFileIndex.Column column,
      int[] pages,
      long[] rows,
      int from,
      int to,
      long[] ids)
      throws IOException {
    int total = 0;
    for (int page : pages) {
      total += (int) (group.pageEnd(page) - group.pageRows()[page]);
    }
    LeafReader leaf =
        new LeafReader(
            column.descriptor(), new NumberStore(PrimitiveTypeName.INT64, NumberMapping.SAME));
    leaf.open(fetcher.fetch(List.of(column), pages).get(0));
    leaf.read(0, total);
    try (BigIntVector vector = new BigIntVector("_row_id", allocator)) {
      new RowNumbers(new BatchRows(), leaf, null, false).fill(vector, total);
      int start = 0;
      int at = 0;
      for (int i = from; i < to; i++) {
        int page = pageOf(group, rows[i]);
        while (pages[at] != page) {
          start += (int) (group.pageEnd(pages[at]) - group.pageRows()[pages[at]]);
          at++;
        }
        int index = start + (int) (rows[i] - group.firstRow() - group.pageRows()[page]);
        if (!vector.isNull(index)) {
          ids[i] = vector.get(index);
        }
      }
    }
  }
}
