package io.icewal.merge;

import java.util.Arrays;

/// An interval of encoded keys: every key that is not below `lower` and that is below `upper` or
/// begins with it. Two empty arrays mean all keys.
///
/// @param lower an encoded key or the beginning of one
/// @param upper an encoded key or the beginning of one
public record KeyRange(byte[] lower, byte[] upper) {
  /// Every key.
  public static final KeyRange ALL = new KeyRange(new byte[0], new byte[0]);

  /// The index of the first key of the sorted vector that is in this range or above it.
  public int from(KeyVector sorted) {
    return sorted.firstAtLeast(lower);
  }

  /// The index after the last key of the sorted vector that is in this range or below it.
  public int to(KeyVector sorted) {
    return sorted.firstAbove(upper);
  }

  /// Whether the sorted vector has a key in this range.
  public boolean overlaps(KeyVector sorted) {
    return from(sorted) < to(sorted);
  }

  /// The rows, ascending, of a vector in any order that have a key in this range.
  public int[] rows(KeyVector keys) {
    return keys.rowsWithin(lower, upper);
  }

  static boolean isOrdered(byte[] lower, byte[] upper) {
    int length = Math.min(lower.length, upper.length);
    return Arrays.compareUnsigned(lower, 0, length, upper, 0, length) <= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyRange
        && Arrays.equals(lower, ((KeyRange) other).lower)
        && Arrays.equals(upper, ((KeyRange) other).upper);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(lower) + Arrays.hashCode(upper);
  }

  @Override
  public String toString() {
    java.util.HexFormat hex = java.util.HexFormat.of();
    return "[" + hex.formatHex(lower) + ", " + hex.formatHex(upper) + "*]";
  }
}
