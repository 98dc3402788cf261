package io.icewal.ingest;

/// What must hold for a value stored as a whole number, and how it changes: `value / divisor *
/// multiplier`, one of which is 1.
///
/// @param min lowest value allowed, in the sender's unit
/// @param max highest value allowed, in the sender's unit
/// @param divisor what a value must be a multiple of
/// @param range the range in words, for the sender
record WordRule(long min, long max, long multiplier, long divisor, String range) {
  /// Any value, unchanged.
  static final WordRule ANY = new WordRule(Long.MIN_VALUE, Long.MAX_VALUE, 1, 1, "");

  static WordRule between(long min, long max) {
    return new WordRule(min, max, 1, 1, min + " to " + max);
  }

  /// From one unit of time to a finer one; what would overflow is out of range.
  static WordRule finer(long multiplier) {
    return new WordRule(
        Long.MIN_VALUE / multiplier,
        Long.MAX_VALUE / multiplier,
        multiplier,
        1,
        "what fits into 64 bits");
  }

  /// From one unit of time to a coarser one; what would be cut off is refused.
  static WordRule coarser(long divisor) {
    return new WordRule(Long.MIN_VALUE, Long.MAX_VALUE, 1, divisor, "");
  }

  WordRule within(long newMin, long newMax, String newRange) {
    return new WordRule(
        Math.max(min, newMin), Math.min(max, newMax), multiplier, divisor, newRange);
  }

  boolean changesValues() {
    return multiplier != 1 || divisor != 1;
  }

  boolean hasRange() {
    return min != Long.MIN_VALUE || max != Long.MAX_VALUE;
  }
}
