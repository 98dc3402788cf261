package io.icewal.parquet;

import io.icewal.merge.KeyVector;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/// Values stored as BOOLEAN, INT32, INT64, INT96, FLOAT or DOUBLE, floats as their bits.
final class NumberStore implements ValueStore {
  private static final int INT96_BYTES = 12;
  private static final long JULIAN_EPOCH_DAY = 2_440_588;
  private static final long NANOS_PER_DAY = 86_400_000_000_000L;
  private static final int INITIAL_VALUES = 1024;
  private static final int DECIMAL_BYTES = 16;

  private final PrimitiveTypeName kind;
  private final NumberMapping mapping;
  private long[] values = new long[INITIAL_VALUES];
  private int count;

  NumberStore(PrimitiveTypeName kind, NumberMapping mapping) {
    this.kind = kind;
    this.mapping = mapping;
  }

  private void ensure(int more) {
    if (count + more > values.length) {
      values = Arrays.copyOf(values, Math.max(count + more, 2 * values.length));
    }
  }

  private static int width(PrimitiveTypeName kind) {
    return switch (kind) {
      case INT32, FLOAT -> Integer.BYTES;
      case INT96 -> INT96_BYTES;
      default -> Long.BYTES;
    };
  }

  @Override
  public void plain(PageInput in, int more) {
    ensure(more);
    if (kind == PrimitiveTypeName.BOOLEAN) {
      plainBits(in, more);
    } else {
      int start = in.take((long) more * width(kind));
      switch (kind) {
        case INT32, FLOAT -> {
          for (int i = 0; i < more; i++) {
            values[count + i] = (int) PageBuffer.INTS.get(in.bytes, start + i * Integer.BYTES);
          }
        }
        case INT96 -> {
          for (int i = 0; i < more; i++) {
            values[count + i] = int96(in.bytes, start + i * INT96_BYTES);
          }
        }
        default ->
            ByteBuffer.wrap(in.bytes, start, more * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(values, count, more);
      }
    }
    mapping.apply(values, count, count + more);
    count += more;
  }

  private void plainBits(PageInput in, int more) {
    for (int i = 0; i < more; i++) {
      values[count + i] = in.bytes[in.position] >>> in.bit & 1;
      if (++in.bit == Byte.SIZE) {
        in.bit = 0;
        in.position++;
      }
    }
  }

  private static long int96(byte[] bytes, int offset) {
    long nanos = (long) PageBuffer.LONGS.get(bytes, offset);
    long day = (int) PageBuffer.INTS.get(bytes, offset + Long.BYTES) - JULIAN_EPOCH_DAY;
    return Math.addExact(Math.multiplyExact(day, NANOS_PER_DAY), nanos);
  }

  @Override
  public void skipPlain(PageInput in, int less) {
    if (kind == PrimitiveTypeName.BOOLEAN) {
      int bits = in.bit + less;
      in.position += bits / Byte.SIZE;
      in.bit = bits % Byte.SIZE;
    } else {
      in.take((long) less * width(kind));
    }
  }

  @Override
  public void decode(ValuesReader in, int more) {
    ensure(more);
    for (int i = 0; i < more; i++) {
      values[count + i] =
          switch (kind) {
            case BOOLEAN -> in.readBoolean() ? 1 : 0;
            case INT32 -> in.readInteger();
            case INT64 -> in.readLong();
            case FLOAT -> Float.floatToRawIntBits(in.readFloat());
            case DOUBLE -> Double.doubleToRawLongBits(in.readDouble());
            case INT96 -> int96(in.readBytes().getBytesUnsafe(), 0);
            default -> throw new IllegalStateException("no number: " + kind);
          };
    }
    mapping.apply(values, count, count + more);
    count += more;
  }

  @Override
  public void pick(ValueStore dictionary, int[] ids, int more) {
    ensure(more);
    long[] from = ((NumberStore) dictionary).values;
    int size = dictionary.count();
    for (int i = 0; i < more; i++) {
      values[count + i] = from[Objects.checkIndex(ids[i], size)];
    }
    count += more;
  }

  @Override
  public ValueStore emptyCopy() {
    return new NumberStore(kind, mapping);
  }

  @Override
  public int count() {
    return count;
  }

  /// The values as exact keys.
  KeyVector keys() {
    return KeyVector.ofIntegers(values, count);
  }

  @Override
  public long bytes() {
    return (long) count * Long.BYTES;
  }

  @Override
  public int longestBytes() {
    return Long.BYTES;
  }

  @Override
  public void clear() {
    count = 0;
  }

  @Override
  public void fill(FieldVector vector, boolean @Nullable [] present, int slots) {
    BaseFixedWidthVector target = (BaseFixedWidthVector) vector;
    target.allocateNew(slots);
    Validity.set(target, present, slots);
    if (target instanceof BitVector bits) {
      fillBits(bits, present, slots);
    } else if (target.getTypeWidth() == Long.BYTES && present == null) {
      target
          .getDataBuffer()
          .nioBuffer(0, slots * Long.BYTES)
          .order(ByteOrder.LITTLE_ENDIAN)
          .asLongBuffer()
          .put(values, 0, slots);
    } else {
      fillEach(target, present, slots);
    }
    target.setValueCount(slots);
  }

  private void fillBits(BitVector bits, boolean @Nullable [] present, int slots) {
    long out = bits.getDataBuffer().memoryAddress();
    MemoryUtil.setMemory(out, (slots + 7L) / Byte.SIZE, (byte) 0);
    int next = 0;
    for (int slot = 0; slot < slots; slot++) {
      if ((present == null || present[slot]) && values[next++] != 0) {
        VectorMemory.setBit(out, slot);
      }
    }
  }

  private void fillEach(BaseFixedWidthVector target, boolean @Nullable [] present, int slots) {
    int width = target.getTypeWidth();
    long out = target.getDataBuffer().memoryAddress();
    int next = 0;
    for (int slot = 0; slot < slots; slot++) {
      long value = present == null || present[slot] ? values[next++] : 0;
      long at = out + (long) slot * width;
      if (width == Integer.BYTES) {
        MemoryUtil.putInt(at, (int) value);
      } else {
        MemoryUtil.putLong(at, value);
        if (width == DECIMAL_BYTES) {
          MemoryUtil.putLong(at + Long.BYTES, value >> (Long.SIZE - 1));
        }
      }
    }
  }
}
