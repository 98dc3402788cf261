package io.icewal.parquet;

import java.util.Arrays;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/// A column of longs that the reader makes from row numbers: `_pos`, `_row_id`, and
/// `_last_updated_sequence_number`, the last two only where the file has no value of its own.
///
/// @param rows the file row numbers of the batch
/// @param stored the file's own column, or null
/// @param base what a row without a stored value gets; null: nothing
/// @param perRow whether its row number is added to it
record RowNumbers(
    BatchRows rows, @Nullable LeafReader stored, @Nullable Long base, boolean perRow) {

  void fill(FieldVector vector, int slots) {
    BigIntVector target = (BigIntVector) vector;
    if (stored != null) {
      stored.values().fill(target, present(stored, slots), slots);
      if (base == null) {
        return;
      }
    } else {
      target.allocateNew(slots);
      boolean[] present = new boolean[slots];
      Arrays.fill(present, base != null);
      Validity.set(target, present, slots);
      target.setValueCount(slots);
    }
    if (base != null) {
      fillMissing(target, slots, base);
    }
  }

  private static boolean @Nullable [] present(LeafReader leaf, int slots) {
    if (leaf.allPresent()) {
      return null;
    }
    boolean[] present = new boolean[slots];
    for (int i = 0; i < slots; i++) {
      present[i] = leaf.definition(i) == leaf.definitionMax();
    }
    return present;
  }

  private void fillMissing(BigIntVector target, int slots, long start) {
    long data = VectorMemory.values(target, slots, Long.BYTES);
    for (int i = 0; i < slots; i++) {
      if (stored == null || target.isNull(i)) {
        MemoryUtil.putLong(data + (long) i * Long.BYTES, start + (perRow ? rows.row(i) : 0));
      }
    }
    Validity.set(target, null, slots);
  }
}
