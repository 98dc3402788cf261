package io.icewal.parquet;

import java.util.Arrays;

/// Distinct byte strings in order of appearance, kept in plain encoding (length, bytes); open
/// addressing.
final class BytesDictionary {
  private static final int INITIAL_SLOTS = 1024;
  private static final long MIX = 0x9E3779B97F4A7C15L;

  final PageBuffer plain = new PageBuffer();
  private int[] slots = new int[INITIAL_SLOTS];
  private int[] starts = new int[INITIAL_SLOTS / 2];
  private int[] hashes = new int[INITIAL_SLOTS / 2];
  private int size;

  BytesDictionary() {
    Arrays.fill(slots, -1);
  }

  /// The id of the bytes at an address, a new one if need be.
  int idOf(long address, int length) {
    int start = plain.size;
    plain.putInt(length);
    plain.putMemory(address, length);
    int hash = hash(plain.bytes, start + Integer.BYTES, length);
    int mask = slots.length - 1;
    int slot = hash & mask;
    while (slots[slot] >= 0) {
      int id = slots[slot];
      if (hashes[id] == hash && same(starts[id], start, length)) {
        plain.size = start;
        return id;
      }
      slot = (slot + 1) & mask;
    }
    slots[slot] = size;
    starts[size] = start;
    hashes[size] = hash;
    size++;
    if (size == starts.length) {
      grow();
    }
    return size - 1;
  }

  private boolean same(int one, int other, int length) {
    int from = one + Integer.BYTES;
    int otherFrom = other + Integer.BYTES;
    return length(one) == length
        && Arrays.equals(
            plain.bytes, from, from + length, plain.bytes, otherFrom, otherFrom + length);
  }

  private int length(int start) {
    return (int) PageBuffer.INTS.get(plain.bytes, start);
  }

  private static int hash(byte[] bytes, int offset, int length) {
    long hash = length;
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      hash = (hash ^ (long) PageBuffer.LONGS.get(bytes, offset + i)) * MIX;
      hash ^= hash >>> 32;
    }
    for (; i < length; i++) {
      hash = (hash ^ bytes[offset + i]) * MIX;
    }
    return (int) (hash ^ (hash >>> 32));
  }

  private void grow() {
    starts = Arrays.copyOf(starts, 2 * starts.length);
    hashes = Arrays.copyOf(hashes, 2 * hashes.length);
    slots = new int[2 * slots.length];
    Arrays.fill(slots, -1);
    int mask = slots.length - 1;
    for (int id = 0; id < size; id++) {
      int slot = hashes[id] & mask;
      while (slots[slot] >= 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = id;
    }
  }

  int size() {
    return size;
  }

  /// Offset of a value's bytes in [#plain].
  int start(int id) {
    return starts[id] + Integer.BYTES;
  }

  int lengthOf(int id) {
    return length(starts[id]);
  }
}
