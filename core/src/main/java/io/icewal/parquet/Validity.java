package io.icewal.parquet;

import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/// Writes the validity bits of a newly allocated vector.
final class Validity {
  private Validity() {}

  /// @param present which slots have a value; null if all
  static void set(FieldVector vector, boolean @Nullable [] present, int slots) {
    if (slots == 0) {
      return;
    }
    long bytes = (slots + 7L) / Byte.SIZE;
    long out = VectorMemory.address(vector.getValidityBuffer(), bytes);
    if (present == null) {
      MemoryUtil.setMemory(out, bytes, (byte) 0xFF);
      return;
    }
    MemoryUtil.setMemory(out, bytes, (byte) 0);
    for (int slot = 0; slot < slots; slot++) {
      if (present[slot]) {
        VectorMemory.setBit(out, slot);
      }
    }
  }
}
