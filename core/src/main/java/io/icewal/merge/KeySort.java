package io.icewal.merge;

/// Sorts keys stably without objects.
///
/// 1. Already sorted input (time-ordered keys) is left alone.
/// 2. LSD radix sort of (first eight bytes, row).
/// 3. Runs of rows that share those eight bytes are sorted by the next eight in the same way; short
///    or deep runs by merge sort on the bytes.
final class KeySort {
  private static final int DIGIT_BITS = 8;
  private static final int BUCKETS = 1 << DIGIT_BITS;
  private static final int DIGITS = Long.SIZE / DIGIT_BITS;

  /// Below this many rows comparing is cheaper than counting.
  private static final int RADIX_ROWS_MIN = 96;

  /// Beyond this many shared bytes the rest is compared: bounds the recursion.
  private static final int DEPTH_MAX = 256;

  private final KeyVector keys;
  private final int[] rows;
  private final int[] scratchRows;
  private final long[] values;
  private final long[] scratchValues;

  private KeySort(KeyVector keys, int[] rows) {
    this.keys = keys;
    this.rows = rows;
    this.scratchRows = new int[rows.length];
    this.values = new long[rows.length];
    this.scratchValues = new long[rows.length];
  }

  static int[] sort(KeyVector keys) {
    int[] rows = new int[keys.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = i;
    }
    if (!keys.isSorted()) {
      new KeySort(keys, rows).sort(0, rows.length, 0);
    }
    return rows;
  }

  /// Sorts `rows[from, to)`, all equal in their first `depth` bytes.
  private void sort(int from, int to, int depth) {
    if (to - from < RADIX_ROWS_MIN || depth > DEPTH_MAX) {
      mergeSort(from, to, depth);
      return;
    }
    for (int i = from; i < to; i++) {
      values[i] = keys.longAt(rows[i], depth);
    }
    radix(from, to);
    if (!keys.isExact()) {
      sortRuns(from, to, depth + Long.BYTES);
    }
  }

  private void sortRuns(int from, int to, int depth) {
    int start = from;
    while (start < to) {
      long value = values[start];
      int end = start + 1;
      while (end < to && values[end] == value) {
        end++;
      }
      if (end - start > 1) {
        sort(start, end, depth);
      }
      start = end;
    }
  }

  private void radix(int from, int to) {
    int[] counts = new int[DIGITS * BUCKETS];
    for (int i = from; i < to; i++) {
      long value = values[i];
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit * BUCKETS + (int) (value >>> (digit * DIGIT_BITS) & (BUCKETS - 1))]++;
      }
    }
    for (int digit = 0; digit < DIGITS; digit++) {
      int shift = digit * DIGIT_BITS;
      int sample = (int) (values[from] >>> shift & (BUCKETS - 1));
      if (counts[digit * BUCKETS + sample] < to - from) {
        scatter(from, to, shift, counts, digit * BUCKETS);
      }
    }
  }

  private void scatter(int from, int to, int shift, int[] counts, int base) {
    int next = from;
    for (int bucket = base; bucket < base + BUCKETS; bucket++) {
      int count = counts[bucket];
      counts[bucket] = next;
      next += count;
    }
    for (int i = from; i < to; i++) {
      int at = counts[base + (int) (values[i] >>> shift & (BUCKETS - 1))]++;
      scratchValues[at] = values[i];
      scratchRows[at] = rows[i];
    }
    System.arraycopy(scratchValues, from, values, from, to - from);
    System.arraycopy(scratchRows, from, rows, from, to - from);
  }

  private void mergeSort(int from, int to, int depth) {
    if (to - from < 8) {
      insertionSort(from, to, depth);
      return;
    }
    int middle = (from + to) >>> 1;
    mergeSort(from, middle, depth);
    mergeSort(middle, to, depth);
    if (compare(rows[middle - 1], rows[middle], depth) <= 0) {
      return;
    }
    System.arraycopy(rows, from, scratchRows, from, middle - from);
    int left = from;
    int right = middle;
    for (int out = from; left < middle; out++) {
      if (right < to && compare(rows[right], scratchRows[left], depth) < 0) {
        rows[out] = rows[right++];
      } else {
        rows[out] = scratchRows[left++];
      }
    }
  }

  private void insertionSort(int from, int to, int depth) {
    for (int i = from + 1; i < to; i++) {
      int row = rows[i];
      int at = i;
      while (at > from && compare(rows[at - 1], row, depth) > 0) {
        rows[at] = rows[at - 1];
        at--;
      }
      rows[at] = row;
    }
  }

  private int compare(int left, int right, int depth) {
    return depth == 0 ? keys.compare(left, keys, right) : keys.compareRest(left, right, depth);
  }
}
