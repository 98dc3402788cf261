package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Vectors that hold one value, in Iceberg's internal form, in every row.
final class ConstantVectors {
  private static final int UUID_BYTES = 16;

  private ConstantVectors() {}

  static FieldVector of(
      NestedField field, @Nullable Object value, int rows, BufferAllocator allocator) {
    FieldVector vector = ArrowSchemas.toArrow(field).createVector(allocator);
    int[] index = new int[rows];
    if (value == null) {
      Arrays.fill(index, -1);
    }
    try (FieldVector one = ArrowSchemas.toArrow(field).createVector(allocator)) {
      one.allocateNew();
      if (value != null) {
        set(one, value);
      }
      one.setValueCount(1);
      new VectorGather(null, index, 0, rows).into(vector, List.of(one));
    }
    return vector;
  }

  private static void set(FieldVector vector, Object value) {
    if (vector instanceof BitVector bits) {
      bits.setSafe(0, (Boolean) value ? 1 : 0);
    } else if (vector instanceof VarCharVector string) {
      string.setSafe(0, value.toString().getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof VarBinaryVector binary) {
      binary.setSafe(0, bytes(value));
    } else if (vector instanceof FixedSizeBinaryVector fixed) {
      fixed.setSafe(0, bytes(value));
    } else if (vector instanceof DecimalVector decimal) {
      decimal.setSafe(0, (BigDecimal) value);
    } else if (vector instanceof BaseFixedWidthVector && value instanceof Number number) {
      setNumber(vector, number);
    } else {
      throw new IllegalArgumentException(
          "no constant of " + vector.getField() + ": " + value.getClass());
    }
  }

  private static void setNumber(FieldVector vector, Number value) {
    if (vector instanceof IntVector ints) {
      ints.setSafe(0, value.intValue());
    } else if (vector instanceof BigIntVector longs) {
      longs.setSafe(0, value.longValue());
    } else if (vector instanceof Float4Vector floats) {
      floats.setSafe(0, value.floatValue());
    } else if (vector instanceof Float8Vector doubles) {
      doubles.setSafe(0, value.doubleValue());
    } else if (vector instanceof DateDayVector days) {
      days.setSafe(0, value.intValue());
    } else if (vector instanceof TimeMicroVector times) {
      times.setSafe(0, value.longValue());
    } else {
      ((TimeStampVector) vector).setSafe(0, value.longValue());
    }
  }

  private static byte[] bytes(Object value) {
    if (value instanceof byte[] bytes) {
      return bytes;
    } else if (value instanceof UUID uuid) {
      return ByteBuffer.allocate(UUID_BYTES)
          .putLong(uuid.getMostSignificantBits())
          .putLong(uuid.getLeastSignificantBits())
          .array();
    }
    ByteBuffer buffer = ((ByteBuffer) value).duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}
