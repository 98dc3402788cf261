package io.icewal.merge;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Encoded keys of some rows, on the heap: the first eight bytes of each as a `long`, and, unless
/// those are the whole key ([KeyColumns#isExact]), the bytes.
///
/// Immutable and safe to share. A slice shares its arrays with its origin. There is nothing to
/// free; [#close] exists so that a holder may treat it like the Arrow vectors it came from.
public final class KeyVector implements AutoCloseable {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final int from;
  private final int size;
  private final long[] prefixes;
  private final byte @Nullable [] bytes;
  private final int[] offsets;

  private KeyVector(int from, int size, long[] prefixes, byte @Nullable [] bytes, int[] offsets) {
    this.from = from;
    this.size = size;
    this.prefixes = prefixes;
    this.bytes = bytes;
    this.offsets = offsets;
  }

  /// Exact keys: each prefix is a whole key of eight bytes. Takes the array over.
  public static KeyVector ofPrefixes(long[] prefixes) {
    return new KeyVector(0, prefixes.length, prefixes, null, new int[0]);
  }

  /// Exact keys of a component's values: the encoding of integers without a detour.
  ///
  /// @param values more of them may follow after the first `count`
  public static KeyVector ofIntegers(long[] values, int count) {
    long[] prefixes = Arrays.copyOf(values, count);
    for (int i = 0; i < count; i++) {
      prefixes[i] ^= Long.MIN_VALUE;
    }
    return ofPrefixes(prefixes);
  }

  /// Keys as bytes: key `i` is at `offsets[i]` to `offsets[i + 1]`. Takes the arrays over.
  public static KeyVector ofBytes(byte[] bytes, int[] offsets) {
    long[] prefixes = new long[offsets.length - 1];
    for (int i = 0; i < prefixes.length; i++) {
      prefixes[i] = longAt(bytes, offsets[i], offsets[i + 1]);
    }
    return new KeyVector(0, prefixes.length, prefixes, bytes, offsets);
  }

  /// All keys of the given vectors in order. All are of one key.
  public static KeyVector concat(List<KeyVector> all) {
    List<KeyVector> vectors = all.stream().filter(vector -> vector.size > 0).toList();
    if (vectors.size() < 2) {
      return vectors.isEmpty() ? ofPrefixes(new long[0]) : vectors.get(0);
    }
    int size = 0;
    int byteCount = 0;
    for (KeyVector vector : vectors) {
      size = Math.addExact(size, vector.size);
      byteCount = Math.addExact(byteCount, vector.byteCount());
    }
    KeyVector out = empty(size, byteCount, vectors.get(0).bytes == null);
    int at = 0;
    for (KeyVector vector : vectors) {
      out.copyFrom(vector, at);
      at += vector.size;
    }
    return out;
  }

  /// Room for keys.
  private static KeyVector empty(int size, int byteCount, boolean exact) {
    return new KeyVector(
        0, size, new long[size], exact ? null : new byte[byteCount], new int[exact ? 0 : size + 1]);
  }

  private void copyFrom(KeyVector other, int at) {
    System.arraycopy(other.prefixes, other.from, prefixes, at, other.size);
    if (bytes == null) {
      return;
    }
    if (other.bytes == null) {
      throw new IllegalArgumentException("keys of different key columns cannot be joined");
    }
    int start = other.offsets[other.from];
    int shift = offsets[at] - start;
    System.arraycopy(other.bytes, start, bytes, offsets[at], other.byteCount());
    for (int i = 1; i <= other.size; i++) {
      offsets[at + i] = other.offsets[other.from + i] + shift;
    }
  }

  public int size() {
    return size;
  }

  /// Whether prefixes are whole keys.
  public boolean isExact() {
    return bytes == null;
  }

  /// The first eight bytes of key `i`, zero padded; compare as unsigned.
  public long prefix(int i) {
    return prefixes[from + i];
  }

  /// The encoded key, a copy.
  public byte[] bytes(int i) {
    if (bytes == null) {
      byte[] out = new byte[Long.BYTES];
      putLong(out, 0, prefix(i));
      return out;
    }
    return Arrays.copyOfRange(bytes, offsets[from + i], offsets[from + i + 1]);
  }

  /// Bytes of heap that these keys take.
  public long heapBytes() {
    return (long) size * (bytes == null ? Long.BYTES : Long.BYTES + Integer.BYTES) + byteCount();
  }

  private int byteCount() {
    return bytes == null ? 0 : offsets[from + size] - offsets[from];
  }

  /// Compares key `i` with key `j` of another vector of the same key columns.
  public int compare(int i, KeyVector other, int j) {
    int order = Long.compareUnsigned(prefixes[from + i], other.prefixes[other.from + j]);
    if (order != 0 || bytes == null || other.bytes == null) {
      return order;
    }
    return compareRest(i, other, j, Long.BYTES);
  }

  public boolean sameKey(int i, KeyVector other, int j) {
    return compare(i, other, j) == 0;
  }

  /// Compares two keys known to be equal in their first `depth` bytes.
  private int compareRest(int i, KeyVector other, int j, int depth) {
    int end = offsets[from + i + 1];
    int otherEnd = other.offsets[other.from + j + 1];
    return Arrays.compareUnsigned(
        bytes,
        Math.min(offsets[from + i] + depth, end),
        end,
        other.bytes,
        Math.min(other.offsets[other.from + j] + depth, otherEnd),
        otherEnd);
  }

  int compareRest(int i, int j, int depth) {
    return compareRest(i, this, j, depth);
  }

  /// Eight bytes of key `i` from the given depth, zero padded.
  long longAt(int i, int depth) {
    if (bytes == null) {
      return depth == 0 ? prefix(i) : 0;
    }
    int end = offsets[from + i + 1];
    return longAt(bytes, Math.min(offsets[from + i] + depth, end), end);
  }

  private static long longAt(byte[] bytes, int start, int end) {
    if (end - start >= Long.BYTES) {
      return (long) LONGS.get(bytes, start);
    }
    long value = 0;
    for (int i = start; i < end; i++) {
      value |= (bytes[i] & 0xFFL) << (56 - 8 * (i - start));
    }
    return value;
  }

  static void putLong(byte[] out, int at, long value) {
    LONGS.set(out, at, value);
  }

  /// Keys `start` to `end`, sharing the arrays.
  public KeyVector slice(int start, int end) {
    if (start < 0 || end < start || end > size) {
      throw new IllegalArgumentException("slice " + start + " to " + end + " of " + size);
    }
    return new KeyVector(from + start, end - start, prefixes, bytes, offsets);
  }

  /// Keys `start` to `end`, sharing nothing.
  public KeyVector copy(int start, int end) {
    KeyVector slice = slice(start, end);
    KeyVector out = empty(slice.size, slice.byteCount(), bytes == null);
    out.copyFrom(slice, 0);
    return out;
  }

  /// The keys of the given rows, in that order.
  public KeyVector gather(int[] rows) {
    long[] outPrefixes = new long[rows.length];
    for (int k = 0; k < rows.length; k++) {
      outPrefixes[k] = prefixes[from + rows[k]];
    }
    if (bytes == null) {
      return ofPrefixes(outPrefixes);
    }
    int[] outOffsets = new int[rows.length + 1];
    for (int k = 0; k < rows.length; k++) {
      int row = from + rows[k];
      outOffsets[k + 1] = Math.addExact(outOffsets[k], offsets[row + 1] - offsets[row]);
    }
    byte[] outBytes = new byte[outOffsets[rows.length]];
    for (int k = 0; k < rows.length; k++) {
      int length = outOffsets[k + 1] - outOffsets[k];
      System.arraycopy(bytes, offsets[from + rows[k]], outBytes, outOffsets[k], length);
    }
    return new KeyVector(0, rows.length, outPrefixes, outBytes, outOffsets);
  }

  /// The stable permutation that sorts the keys: the row of the smallest key first, rows of equal
  /// keys in their order.
  public int[] sort() {
    return KeySort.sort(this);
  }

  /// Whether the keys are in order; equal neighbours are.
  public boolean isSorted() {
    for (int i = 1; i < size; i++) {
      if (compare(i - 1, this, i) > 0) {
        return false;
      }
    }
    return true;
  }

  /// The rows, ascending, whose keys are not below `lower`, and below `upper` or begin with it.
  int[] rowsWithin(byte[] lower, byte[] upper) {
    long lowest = bound(lower, (byte) 0);
    long highest = bound(upper, (byte) -1);
    int[] rows = new int[size];
    int count = 0;
    for (int i = 0; i < size; i++) {
      long prefix = prefixes[from + i];
      if (Long.compareUnsigned(prefix, lowest) >= 0
          && Long.compareUnsigned(prefix, highest) <= 0
          && (bytes == null
              || (compareTo(i, lower, false) >= 0 && compareTo(i, upper, true) <= 0))) {
        rows[count++] = i;
      }
    }
    return Arrays.copyOf(rows, count);
  }

  /// The first eight bytes of a bound, filled up where it has less.
  private static long bound(byte[] bound, byte padding) {
    byte[] padded = Arrays.copyOf(bound, Math.max(bound.length, Long.BYTES));
    Arrays.fill(padded, bound.length, padded.length, padding);
    return longAt(padded, 0, Long.BYTES);
  }

  /// In a sorted vector: the first key that is not below the bound.
  public int firstAtLeast(byte[] bound) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compareTo(middle, bound, false) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// In a sorted vector: the first key that is above the bound and does not begin with it.
  public int firstAbove(byte[] bound) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compareTo(middle, bound, true) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int compareTo(int i, byte[] bound, boolean prefixOnly) {
    byte[] key = bytes == null ? bytes(i) : bytes;
    int start = bytes == null ? 0 : offsets[from + i];
    int end = bytes == null ? key.length : offsets[from + i + 1];
    int used = prefixOnly ? Math.min(end, start + bound.length) : end;
    return Arrays.compareUnsigned(key, start, used, bound, 0, bound.length);
  }

  @Override
  public void close() {}
}
