package io.icewal.parquet;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.column.values.ValuesReader;
import org.jspecify.annotations.Nullable;

/// Values stored as BINARY or FIXED_LEN_BYTE_ARRAY.
final class BytesStore implements ValueStore {
  private static final int INITIAL_VALUES = 1024;
  private static final int DECIMAL_BYTES = 16;

  private final int fixedLength;
  private final PageBuffer data = new PageBuffer();
  private int[] ends = new int[INITIAL_VALUES];
  private int count;

  /// @param fixedLength length of every value, or 0 where a length stands before each
  BytesStore(int fixedLength) {
    this.fixedLength = fixedLength;
  }

  private void put(byte[] bytes, int offset, int length) {
    data.ensure(length);
    System.arraycopy(bytes, offset, data.bytes, data.size, length);
    data.size += length;
    ends[count++] = data.size;
  }

  private void ensure(int more) {
    if (count + more > ends.length) {
      ends = Arrays.copyOf(ends, Math.max(count + more, 2 * ends.length));
    }
  }

  @Override
  public void plain(PageInput in, int more) {
    ensure(more);
    for (int i = 0; i < more; i++) {
      int length = fixedLength > 0 ? fixedLength : in.takeInt();
      put(in.bytes, in.take(length), length);
    }
  }

  @Override
  public void skipPlain(PageInput in, int less) {
    if (fixedLength > 0) {
      in.take((long) less * fixedLength);
    } else {
      for (int i = 0; i < less; i++) {
        in.take(in.takeInt());
      }
    }
  }

  @Override
  public void decode(ValuesReader in, int more) {
    ensure(more);
    for (int i = 0; i < more; i++) {
      ByteBuffer value = in.readBytes().toByteBuffer();
      int length = value.remaining();
      data.ensure(length);
      value.get(data.bytes, data.size, length);
      data.size += length;
      ends[count++] = data.size;
    }
  }

  @Override
  public void pick(ValueStore dictionary, int[] ids, int more) {
    ensure(more);
    BytesStore from = (BytesStore) dictionary;
    for (int i = 0; i < more; i++) {
      int id = Objects.checkIndex(ids[i], from.count);
      int start = from.start(id);
      put(from.data.bytes, start, from.ends[id] - start);
    }
  }

  private int start(int value) {
    return value == 0 ? 0 : ends[value - 1];
  }

  @Override
  public ValueStore emptyCopy() {
    return new BytesStore(fixedLength);
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public long bytes() {
    return data.size;
  }

  @Override
  public int longestBytes() {
    int longest = 0;
    for (int value = 0; value < count; value++) {
      longest = Math.max(longest, ends[value] - start(value));
    }
    return longest;
  }

  @Override
  public void clear() {
    count = 0;
    data.size = 0;
  }

  @Override
  public void fill(FieldVector vector, boolean @Nullable [] present, int slots) {
    if (vector instanceof BaseVariableWidthVector variable) {
      fillVariable(variable, present, slots);
    } else {
      fillFixed((BaseFixedWidthVector) vector, present, slots);
    }
  }

  private void fillVariable(
      BaseVariableWidthVector vector, boolean @Nullable [] present, int slots) {
    vector.allocateNew(data.size, slots);
    Validity.set(vector, present, slots);
    MemoryUtil.copyToMemory(data.bytes, 0, vector.getDataBuffer().memoryAddress(), data.size);
    if (slots > 0) {
      long offsets = VectorMemory.offsets(vector, slots);
      int next = 0;
      MemoryUtil.putInt(offsets, 0);
      for (int slot = 0; slot < slots; slot++) {
        if (present == null || present[slot]) {
          next++;
        }
        MemoryUtil.putInt(offsets + 4L * (slot + 1), start(next));
      }
    }
    vector.setLastSet(slots - 1);
    vector.setValueCount(slots);
  }

  private void fillFixed(BaseFixedWidthVector vector, boolean @Nullable [] present, int slots) {
    vector.allocateNew(slots);
    Validity.set(vector, present, slots);
    int width = vector.getTypeWidth();
    long out = vector.getDataBuffer().memoryAddress();
    byte[] decimal = new byte[DECIMAL_BYTES];
    int next = 0;
    for (int slot = 0; slot < slots; slot++) {
      long at = out + (long) slot * width;
      if (present != null && !present[slot]) {
        MemoryUtil.setMemory(at, width, (byte) 0);
        continue;
      }
      int start = start(next);
      int length = ends[next++] - start;
      if (vector instanceof DecimalVector) {
        littleEndian(decimal, data.bytes, start, length);
        MemoryUtil.copyToMemory(decimal, 0, at, DECIMAL_BYTES);
      } else if (length == width) {
        MemoryUtil.copyToMemory(data.bytes, start, at, width);
      } else {
        throw new IllegalStateException("value of " + length + " bytes in fixed(" + width + ")");
      }
    }
    vector.setValueCount(slots);
  }

  private static void littleEndian(byte[] out, byte[] bytes, int start, int length) {
    if (length == 0 || length > DECIMAL_BYTES) {
      throw new IllegalStateException("decimal of " + length + " bytes");
    }
    Arrays.fill(out, (byte) (bytes[start] >> (Byte.SIZE - 1)));
    for (int i = 0; i < length; i++) {
      out[i] = bytes[start + length - 1 - i];
    }
  }
}
