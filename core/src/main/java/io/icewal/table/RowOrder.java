package io.icewal.table;

/// Sorts parallel arrays by row number.
final class RowOrder {
  private RowOrder() {}

  /// Sorts `rows` ascending and moves `keys` along. Files sorted by key come sorted already.
  static void sort(long[] rows, int[] keys) {
    if (isSorted(rows)) {
      return;
    }
    long[] packed = new long[rows.length];
    long[] oldRows = rows.clone();
    int[] oldKeys = keys.clone();
    for (int i = 0; i < rows.length; i++) {
      if (rows[i] >= 1L << 32) {
        throw new IllegalArgumentException("row number " + rows[i] + " does not fit 32 bits");
      }
      packed[i] = rows[i] << 31 | i;
    }
    java.util.Arrays.sort(packed);
    for (int i = 0; i < rows.length; i++) {
      int at = (int) (packed[i] & 0x7FFFFFFF);
      rows[i] = oldRows[at];
      keys[i] = oldKeys[at];
    }
  }

  private static boolean isSorted(long[] rows) {
    for (int i = 1; i < rows.length; i++) {
      if (rows[i - 1] > rows[i]) {
        return false;
      }
    }
    return true;
  }
}
