package io.icewal.parquet;

import java.util.Arrays;

/// The slots of one level of nesting of a run of rows: for each a repetition level, the definition
/// level reached, and the index in the vector of that level, or -1 where a null or an empty list
/// above has ended it.
final class Slots {
  byte[] repetition;
  byte[] definition;
  int[] index;
  int count;

  Slots(int capacity) {
    repetition = new byte[capacity];
    definition = new byte[capacity];
    index = new int[capacity];
  }

  /// One slot for each row.
  static Slots ofRows(int from, int to) {
    Slots slots = new Slots(to - from);
    for (int i = from; i < to; i++) {
      slots.index[i - from] = i;
    }
    slots.count = to - from;
    return slots;
  }

  Slots copy() {
    Slots copy = new Slots(0);
    copy.repetition = Arrays.copyOf(repetition, count);
    copy.definition = Arrays.copyOf(definition, count);
    copy.index = Arrays.copyOf(index, count);
    copy.count = count;
    return copy;
  }

  void add(int repetitionLevel, int definitionLevel, int vectorIndex) {
    if (count == index.length) {
      int capacity = Math.max(16, 2 * count);
      repetition = Arrays.copyOf(repetition, capacity);
      definition = Arrays.copyOf(definition, capacity);
      index = Arrays.copyOf(index, capacity);
    }
    repetition[count] = (byte) repetitionLevel;
    definition[count] = (byte) definitionLevel;
    index[count++] = vectorIndex;
  }
}
