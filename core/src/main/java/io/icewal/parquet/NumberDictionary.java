package io.icewal.parquet;

import java.util.Arrays;

/// Distinct numbers in order of appearance; open addressing.
final class NumberDictionary {
  private static final int INITIAL_SLOTS = 1024;
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private int[] slots = new int[INITIAL_SLOTS];
  private long[] values = new long[INITIAL_SLOTS / 2];
  private int size;

  NumberDictionary() {
    Arrays.fill(slots, -1);
  }

  /// The id of a value, a new one if need be.
  int idOf(long bits) {
    int mask = slots.length - 1;
    int slot = hash(bits) & mask;
    while (slots[slot] >= 0) {
      if (values[slots[slot]] == bits) {
        return slots[slot];
      }
      slot = (slot + 1) & mask;
    }
    if (size == values.length) {
      grow();
      return idOf(bits);
    }
    slots[slot] = size;
    values[size] = bits;
    return size++;
  }

  /// Doubles that are whole numbers have zeros in their low half: the high half must count there.
  private static int hash(long bits) {
    return (int) (((bits ^ bits >>> 32) * MIX) >>> 32);
  }

  private void grow() {
    values = Arrays.copyOf(values, 2 * values.length);
    slots = new int[2 * slots.length];
    Arrays.fill(slots, -1);
    int mask = slots.length - 1;
    for (int id = 0; id < size; id++) {
      int slot = hash(values[id]) & mask;
      while (slots[slot] >= 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = id;
    }
  }

  int size() {
    return size;
  }

  long value(int id) {
    return values[id];
  }
}
