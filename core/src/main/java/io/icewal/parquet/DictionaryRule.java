package io.icewal.parquet;

/// When a column chunk gets a dictionary: where a sample of the values that come first repeats
/// itself. Trying a dictionary on a column of distinct values costs more than all else of writing
/// it, so the sample is looked at before the first page, not after.
final class DictionaryRule {
  /// With this sample and [#REPEATS_MIN], columns up to about 2,600 distinct values get one.
  static final int SAMPLE_VALUES = 4096;

  /// A dictionary beyond this many plain bytes is closed: pages after it are plain.
  static final int BYTES_MAX = 1 << 20;

  /// Mean number of times a sampled value appears in the sample, at least.
  private static final int REPEATS_MIN = 2;

  /// A dictionary for fewer values costs a page and saves nothing.
  private static final int VALUES_MIN = 8;

  private DictionaryRule() {}

  static boolean pays(int sampled, int distinct) {
    return sampled >= VALUES_MIN && (long) distinct * REPEATS_MIN <= sampled;
  }

  /// Distance between sampled rows.
  static int step(int rows) {
    return Math.max(1, rows / SAMPLE_VALUES);
  }
}
