package io.icewal.ingest;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Which values of an input vector make up an output vector: slot `i` of the output is value
/// [#at]`(i)` of the input, or nothing.
///
/// Dictionaries, runs, lists and selections of rows all end in this one form, so that each
/// converter handles them alike. Every slot also knows the row it stands in. Immutable.
final class Slots {
  /// The value itself is null, whatever the input vector holds.
  static final int NULL = -1;

  /// There is no place for a value here (a parent is null): no rule applies.
  static final int MASKED = -2;

  private final int count;
  private final int first;
  private final int @Nullable [] source;
  private final int limit;
  private final @Nullable Slots parent;
  private final int @Nullable [] parentOffsets;

  private Slots(
      int count,
      int first,
      int @Nullable [] source,
      int limit,
      @Nullable Slots parent,
      int @Nullable [] parentOffsets) {
    this.count = count;
    this.first = first;
    this.source = source;
    this.limit = limit;
    this.parent = parent;
    this.parentOffsets = parentOffsets;
  }

  /// The first rows of a batch, in order.
  static Slots rows(int count) {
    return new Slots(count, 0, null, count, null, null);
  }

  /// The given rows of a batch.
  static Slots rows(int[] selected, int limit) {
    return new Slots(selected.length, 0, selected, limit, null, null);
  }

  /// As many slots as these, in the same rows, with other sources below the limit.
  Slots through(int[] newSource, int newLimit) {
    return new Slots(count, 0, newSource, newLimit, this, null);
  }

  /// Elements of lists: the elements of slot `i` are those from `offsets[i]` to `offsets[i + 1]`,
  /// and the first of all is element `from` of the input.
  Slots elements(int[] offsets, int from) {
    int elements = offsets[count];
    return new Slots(elements, from, null, from + elements, this, offsets);
  }

  /// Elements of lists that do not lie one after another in the input.
  Slots elements(int[] offsets, int[] elementSource, int newLimit) {
    return new Slots(offsets[count], 0, elementSource, newLimit, this, offsets);
  }

  /// These slots, masked where the values are null.
  Slots maskNulls(NullMap nulls) {
    if (nulls.nullCount() == 0) {
      return this;
    }
    int[] masked = sources();
    for (int i = 0; i < count; i++) {
      if (nulls.isNull(i)) {
        masked[i] = MASKED;
      }
    }
    return through(masked, limit);
  }

  /// These slots, masked where the row is in the set.
  Slots maskRows(BitSet rows) {
    int[] masked = sources();
    for (int i = 0; i < count; i++) {
      if (rows.get(row(i))) {
        masked[i] = MASKED;
      }
    }
    return through(masked, limit);
  }

  int count() {
    return count;
  }

  /// The index of the slot's value in the input, [#NULL] or [#MASKED].
  int at(int slot) {
    return source == null ? first + slot : source[slot];
  }

  /// Whether the slots are the input's values from [#first] on, in order.
  boolean isRange() {
    return source == null;
  }

  /// Whether the slots are the input's first values, in order.
  boolean isPrefix() {
    return source == null && first == 0;
  }

  int first() {
    return first;
  }

  /// Above every index that [#at] gives.
  int limit() {
    return limit;
  }

  /// The row of the batch that the slot stands in.
  int row(int slot) {
    if (parent == null) {
      return at(slot);
    }
    if (parentOffsets == null) {
      return parent.row(slot);
    }
    // The last list that begins at or before the slot; empty lists begin where the next one does.
    int found = Arrays.binarySearch(parentOffsets, slot + 1);
    int at = found >= 0 ? found : -found - 1;
    while (parentOffsets[at - 1] > slot) {
      at--;
    }
    return parent.row(at - 1);
  }

  private int[] sources() {
    int[] sources = new int[count];
    for (int i = 0; i < count; i++) {
      sources[i] = at(i);
    }
    return sources;
  }
}
