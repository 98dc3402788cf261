package io.icewal.read;

import io.icewal.merge.KeyVector;

/// Sorted keys of a tail that a data file may hold: those from `from` to `to` (exclusive).
public record KeySlice(KeyVector keys, int from, int to) {
  /// No key.
  public static final KeySlice NONE = new KeySlice(KeyVector.ofPrefixes(new long[0]), 0, 0);

  public boolean isEmpty() {
    return from == to;
  }

  public int size() {
    return to - from;
  }
}
