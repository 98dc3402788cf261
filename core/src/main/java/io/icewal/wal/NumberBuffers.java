package io.icewal.wal;

import java.util.BitSet;
import java.util.List;
import org.apache.arrow.vector.BufferLayout;
import org.apache.arrow.vector.BufferLayout.BufferType;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.types.pojo.Field;

/// Which of a record batch's buffers hold numbers of 64 bits. Pure.
final class NumberBuffers {
  private static final int NUMBER_BITS = 64;

  private NumberBuffers() {}

  /// Indexes into a batch's buffers: each field's own, then those of its children.
  static BitSet of(List<Field> fields) {
    BitSet numbers = new BitSet();
    add(fields, 0, numbers);
    return numbers;
  }

  /// @return the index after the last buffer of the fields
  private static int add(List<Field> fields, int first, BitSet numbers) {
    int at = first;
    for (Field field : fields) {
      for (BufferLayout buffer : TypeLayout.getTypeLayout(field.getType()).getBufferLayouts()) {
        numbers.set(
            at, buffer.getType() == BufferType.DATA && buffer.getTypeBitWidth() == NUMBER_BITS);
        at++;
      }
      at = add(field.getChildren(), at, numbers);
    }
    return at;
  }
}
