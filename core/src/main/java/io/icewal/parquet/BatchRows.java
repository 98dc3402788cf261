package io.icewal.parquet;

import java.util.Arrays;
import java.util.Objects;

/// The file row numbers of a reader's current batch: ascending runs.
final class BatchRows {
  private long[] starts = new long[16];
  private int[] firstIndexes = new int[16];
  private int runs;
  private int count;

  void clear() {
    runs = 0;
    count = 0;
  }

  void add(long start, int rows) {
    if (runs > 0 && starts[runs - 1] + count - firstIndexes[runs - 1] == start) {
      count += rows;
      return;
    }
    if (runs == starts.length) {
      starts = Arrays.copyOf(starts, 2 * runs);
      firstIndexes = Arrays.copyOf(firstIndexes, 2 * runs);
    }
    starts[runs] = start;
    firstIndexes[runs++] = count;
    count += rows;
  }

  int count() {
    return count;
  }

  long row(int index) {
    Objects.checkIndex(index, count);
    int found = Arrays.binarySearch(firstIndexes, 0, runs, index);
    int run = found >= 0 ? found : -found - 2;
    return starts[run] + index - firstIndexes[run];
  }
}
