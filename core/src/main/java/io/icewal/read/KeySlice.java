package io.icewal.read;

import io.icewal.merge.KeyVector;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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

  /// The keys of this slice that another one, of the same key columns, does not have. Who knows
  /// already where the other's keys are needs to look for these only.
  ///
  /// @return null if the other has a key that this one does not have
  public @Nullable KeySlice beyond(KeySlice other) {
    int[] more = new int[size()];
    int count = 0;
    int next = other.from;
    for (int i = from; i < to; i++) {
      int order = next == other.to ? -1 : keys.compare(i, other.keys, next);
      if (order > 0) {
        return null;
      }
      if (order == 0) {
        next++;
      } else {
        more[count++] = i;
      }
    }
    return next < other.to ? null : new KeySlice(keys.gather(Arrays.copyOf(more, count)), 0, count);
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
