package io.icewal.wal;

/// Bounds of a [LogReader].
///
/// @param suffixBytes how much of a segment's end is fetched to get its footer; smaller segments
///   come whole
/// @param parallel how many requests are in flight at once
/// @param cachedBytesMax segments and footers kept in memory
/// @param segmentsMax how many segments one run may have: more means that nobody trims
public record ReaderLimits(int suffixBytes, int parallel, long cachedBytesMax, int segmentsMax) {
  /// 256 KiB cost as much as 1 KiB to fetch and hold most footers; a segment of 8 MiB has about 1
  /// KiB of footer a table. A run of 65,536 segments is 4.5 hours of four a second.
  public static final ReaderLimits DEFAULTS = new ReaderLimits(256 << 10, 16, 64L << 20, 1 << 16);

  /// For writers, which read no rows: nothing is kept.
  static final ReaderLimits FOOTERS_ONLY = new ReaderLimits(256 << 10, 16, 0, 1 << 16);

  public ReaderLimits {
    if (suffixBytes < 64 || parallel < 1 || cachedBytesMax < 0 || segmentsMax < 1) {
      throw new IllegalArgumentException(
          "bad reader limits: "
              + suffixBytes
              + ", "
              + parallel
              + ", "
              + cachedBytesMax
              + ", "
              + segmentsMax);
    }
  }
}
