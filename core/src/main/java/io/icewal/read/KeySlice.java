package io.icewal.read;

import io.icewal.merge.KeyVector;

/// Sorted keys of a tail that a data file may hold: those from `from` to `to` (exclusive).
public record KeySlice(KeyVector keys, int from, int to) {
  /// No key.
  public static final KeySlice NONE = new KeySlice(KeyVector.ofPrefixes(new long[0]), 0, 0);

  /// A form to send between processes of the same version: small, for neighbours have much in
  /// common.
  public byte[] toBytes() {
    return KeySliceCodec.encode(this);
  }

  /// Reads the form of [#toBytes].
  public static KeySlice fromBytes(byte[] bytes) {
    return KeySliceCodec.decode(bytes);
  }

  public boolean isEmpty() {
    return from == to;
  }

  public int size() {
    return to - from;
  }

  /// Whether key `i` of another vector, of the same key columns, is in this slice.
  public boolean contains(KeyVector other, int i) {
    int low = from;
    int high = to - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = other.compare(i, keys, middle);
      if (order == 0) {
        return true;
      }
      if (order < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return false;
  }
}
