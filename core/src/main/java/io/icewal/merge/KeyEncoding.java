package io.icewal.merge;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.types.Type;

/// Writes Arrow key columns as order-preserving bytes, column by column. Stateless.
///
/// 1. Sum up each row's length over the components.
/// 2. Turn lengths into offsets; each row gets a cursor at its offset.
/// 3. Component by component, write every row's bytes at its cursor.
final class KeyEncoding {
  static final int DECIMAL_BYTES = 16;

  private KeyEncoding() {}

  static boolean isInteger(Type.TypeID type) {
    return switch (type) {
      case INTEGER, LONG, DATE, TIME, TIMESTAMP, TIMESTAMP_NANO -> true;
      default -> false;
    };
  }

  static boolean isSupported(Type.TypeID type) {
    return switch (type) {
      case BOOLEAN, DECIMAL, STRING, BINARY, UUID, FIXED -> true;
      default -> isInteger(type);
    };
  }

  /// The vectors along a path of field ids, the component's own last.
  static List<FieldVector> resolve(VectorSchemaRoot rows, int[] path, String name) {
    List<FieldVector> found = new ArrayList<>(path.length);
    List<FieldVector> siblings = rows.getFieldVectors();
    for (int id : path) {
      FieldVector vector = ArrowSchemas.find(siblings, id);
      if (vector == null) {
        throw new IcewalException(ErrorKind.INVALID, "key column '" + name + "' is missing");
      }
      found.add(vector);
      siblings = vector instanceof StructVector ? vector.getChildrenFromFields() : List.of();
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException("empty path of key column '" + name + "'");
    }
    return found;
  }

  static void checkNoNulls(FieldVector vector, int count, String name) {
    if (hasNulls(vector, count)) {
      throw new IcewalException(ErrorKind.INVALID, "null in key column '" + name + "'");
    }
  }

  /// Adds the rows that are null.
  static void addNulls(FieldVector vector, int count, BitSet nulls) {
    if (hasNulls(vector, count)) {
      for (int row = 0; row < count; row++) {
        if (vector.isNull(row)) {
          nulls.set(row);
        }
      }
    }
  }

  private static boolean hasNulls(FieldVector vector, int count) {
    return count > 0 && BitVectorHelper.getNullCount(vector.getValidityBuffer(), count) > 0;
  }

  /// Integer-like values with the sign bit flipped, so that unsigned order is their order.
  static long[] integers(FieldVector vector, int count) {
    long[] out = new long[count];
    if (count == 0) {
      return out;
    }
    BaseFixedWidthVector fixed = (BaseFixedWidthVector) vector;
    ByteBuffer data = littleEndian(fixed.getDataBuffer(), (long) count * fixed.getTypeWidth());
    if (fixed.getTypeWidth() == Long.BYTES) {
      data.asLongBuffer().get(out);
      for (int i = 0; i < count; i++) {
        out[i] ^= Long.MIN_VALUE;
      }
    } else {
      for (int i = 0; i < count; i++) {
        out[i] = data.getInt(i * Integer.BYTES) ^ Long.MIN_VALUE;
      }
    }
    return out;
  }

  static KeyVector encode(List<FieldVector> vectors, int count) {
    int[] offsets = new int[count + 1];
    for (FieldVector vector : vectors) {
      addLengths(vector, count, offsets);
    }
    for (int i = 0; i < count; i++) {
      offsets[i + 1] = Math.addExact(offsets[i], offsets[i + 1]);
    }
    byte[] bytes = new byte[offsets[count]];
    int[] cursors = offsets.clone();
    for (FieldVector vector : vectors) {
      write(vector, count, bytes, cursors);
    }
    return KeyVector.ofBytes(bytes, offsets);
  }

  /// Adds the encoded length of row `i` to `lengths[i + 1]`.
  private static void addLengths(FieldVector vector, int count, int[] lengths) {
    if (vector instanceof BaseVariableWidthVector) {
      Values values = Values.of((BaseVariableWidthVector) vector, count);
      for (int i = 0; i < count; i++) {
        int length = escapedLength(values.bytes(), values.offsets()[i], values.offsets()[i + 1]);
        lengths[i + 1] = Math.addExact(lengths[i + 1], length);
      }
      return;
    }
    int width = width(vector);
    for (int i = 0; i < count; i++) {
      lengths[i + 1] = Math.addExact(lengths[i + 1], width);
    }
  }

  private static int width(FieldVector vector) {
    if (vector instanceof BitVector) {
      return 1;
    }
    if (vector instanceof DecimalVector || vector instanceof FixedSizeBinaryVector) {
      return ((BaseFixedWidthVector) vector).getTypeWidth();
    }
    return Long.BYTES;
  }

  private static void write(FieldVector vector, int count, byte[] out, int[] cursors) {
    if (vector instanceof BaseVariableWidthVector) {
      writeVariable((BaseVariableWidthVector) vector, count, out, cursors);
    } else if (vector instanceof BitVector) {
      BitVector bits = (BitVector) vector;
      for (int i = 0; i < count; i++) {
        out[cursors[i]++] = (byte) bits.get(i);
      }
    } else if (vector instanceof DecimalVector) {
      writeDecimals((DecimalVector) vector, count, out, cursors);
    } else if (vector instanceof FixedSizeBinaryVector) {
      writeFixed((FixedSizeBinaryVector) vector, count, out, cursors);
    } else {
      long[] values = integers(vector, count);
      for (int i = 0; i < count; i++) {
        KeyVector.putLong(out, cursors[i], values[i]);
        cursors[i] += Long.BYTES;
      }
    }
  }

  private static void writeVariable(
      BaseVariableWidthVector vector, int count, byte[] out, int[] cursors) {
    Values values = Values.of(vector, count);
    for (int i = 0; i < count; i++) {
      cursors[i] =
          escape(values.bytes(), values.offsets()[i], values.offsets()[i + 1], out, cursors[i]);
    }
  }

  private static void writeDecimals(DecimalVector vector, int count, byte[] out, int[] cursors) {
    ByteBuffer data = littleEndian(vector.getDataBuffer(), (long) count * DECIMAL_BYTES);
    for (int i = 0; i < count; i++) {
      long low = data.getLong(i * DECIMAL_BYTES);
      long high = data.getLong(i * DECIMAL_BYTES + Long.BYTES);
      KeyVector.putLong(out, cursors[i], high ^ Long.MIN_VALUE);
      KeyVector.putLong(out, cursors[i] + Long.BYTES, low);
      cursors[i] += DECIMAL_BYTES;
    }
  }

  private static void writeFixed(
      FixedSizeBinaryVector vector, int count, byte[] out, int[] cursors) {
    int width = vector.getByteWidth();
    ArrowBuf data = vector.getDataBuffer();
    for (int i = 0; i < count; i++) {
      data.getBytes((long) i * width, out, cursors[i], width);
      cursors[i] += width;
    }
  }

  static int escapedLength(byte[] bytes, int from, int to) {
    int length = to - from + 2;
    for (int i = from; i < to; i++) {
      if (bytes[i] == 0) {
        length++;
      }
    }
    return length;
  }

  /// Writes bytes with their end mark; answers the index after it.
  static int escape(byte[] bytes, int from, int to, byte[] out, int at) {
    int next = at;
    for (int i = from; i < to; i++) {
      out[next++] = bytes[i];
      if (bytes[i] == 0) {
        out[next++] = (byte) 0xFF;
      }
    }
    out[next] = 0;
    out[next + 1] = 1;
    return next + 2;
  }

  private static ByteBuffer littleEndian(ArrowBuf buffer, long bytes) {
    return buffer.nioBuffer(0, Math.toIntExact(bytes)).order(ByteOrder.LITTLE_ENDIAN);
  }

  /// A variable-width vector's values on the heap.
  private record Values(byte[] bytes, int[] offsets) {
    static Values of(BaseVariableWidthVector vector, int count) {
      int[] offsets = new int[count + 1];
      if (count == 0) {
        return new Values(new byte[0], offsets);
      }
      littleEndian(vector.getOffsetBuffer(), (count + 1L) * Integer.BYTES)
          .asIntBuffer()
          .get(offsets);
      int start = offsets[0];
      byte[] bytes = new byte[offsets[count] - start];
      vector.getDataBuffer().getBytes(start, bytes);
      for (int i = 0; i <= count; i++) {
        offsets[i] -= start;
      }
      return new Values(bytes, offsets);
    }
  }
}
