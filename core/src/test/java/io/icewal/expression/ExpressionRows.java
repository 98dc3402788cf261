package io.icewal.expression;

import io.icewal.model.ArrowSchemas;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.apache.arrow.memory.BufferAllocator;
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
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// A table with a column of each type, rows of it as plain objects, and as Arrow.
final class ExpressionRows {
  static final Schema SCHEMA =
      new Schema(
          NestedField.optional(1, "i", Types.IntegerType.get()),
          NestedField.optional(2, "l", Types.LongType.get()),
          NestedField.optional(3, "f", Types.FloatType.get()),
          NestedField.optional(4, "d", Types.DoubleType.get()),
          NestedField.optional(5, "dec", Types.DecimalType.of(9, 2)),
          NestedField.optional(6, "s", Types.StringType.get()),
          NestedField.optional(7, "b", Types.BooleanType.get()),
          NestedField.optional(8, "dt", Types.DateType.get()),
          NestedField.optional(9, "tm", Types.TimeType.get()),
          NestedField.optional(10, "ts", Types.TimestampType.withoutZone()),
          NestedField.optional(11, "tz", Types.TimestampType.withZone()),
          NestedField.optional(12, "ns", Types.TimestampNanoType.withoutZone()),
          NestedField.optional(13, "u", Types.UUIDType.get()),
          NestedField.optional(14, "bin", Types.BinaryType.get()),
          NestedField.optional(15, "fx", Types.FixedType.ofLength(2)),
          NestedField.optional(
              16,
              "st",
              Types.StructType.of(
                  NestedField.optional(17, "x", Types.IntegerType.get()),
                  NestedField.optional(
                      18,
                      "in",
                      Types.StructType.of(NestedField.required(19, "z", Types.StringType.get()))))),
          NestedField.optional(20, "sp ace", Types.LongType.get()),
          NestedField.optional(21, "a.b", Types.IntegerType.get()),
          NestedField.optional(22, "i2", Types.IntegerType.get()),
          NestedField.optional(23, "li", Types.ListType.ofOptional(24, Types.IntegerType.get())));

  private static final String[] STRINGS = {
    "", "a", "b", "ab", "a%", "a_b", "\uFFFD", "\uD83D\uDE00", "it's", "A", "zzzzzzzzzzzzzzzzzzzz1"
  };

  private ExpressionRows() {}

  /// A random value in the form that Iceberg's own literals have, or null.
  static @Nullable Object value(NestedField field, RandomGenerator random) {
    if (random.nextInt(5) == 0) {
      return null;
    }
    long small = random.nextInt(-3, 4);
    return switch (field.type().typeId()) {
      case BOOLEAN -> random.nextBoolean();
      case INTEGER -> random.nextInt(20) == 0 ? Integer.MAX_VALUE : (Object) (int) small;
      case LONG -> random.nextInt(20) == 0 ? Long.MIN_VALUE : (Object) small;
      case FLOAT -> new float[] {0.1f, -0.0f, 0.0f, Float.NaN, 2, -1.5f}[random.nextInt(6)];
      case DOUBLE ->
          new double[] {0.1, -0.0, 0.0, Double.NaN, 2, -1.5, Double.NEGATIVE_INFINITY}
              [random.nextInt(7)];
      case DECIMAL -> BigDecimal.valueOf(small * 5, 2);
      case DATE -> (int) small;
      case TIME -> Math.abs(small) * 500_000;
      case TIMESTAMP, TIMESTAMP_NANO -> small * 500_000;
      case STRING -> STRINGS[random.nextInt(STRINGS.length)];
      case UUID -> new UUID(small << 61, small);
      case BINARY -> ByteBuffer.wrap(new byte[] {(byte) small});
      case FIXED -> ByteBuffer.wrap(new byte[] {(byte) small, 1});
      default -> null;
    };
  }

  /// Writes rows, as values by field id, into Arrow.
  static VectorSchemaRoot toArrow(List<Map<Integer, Object>> rows, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator);
    root.allocateNew();
    for (FieldVector vector : root.getFieldVectors()) {
      for (int row = 0; row < rows.size(); row++) {
        write(vector, row, rows.get(row));
      }
    }
    root.setRowCount(rows.size());
    return root;
  }

  private static void write(FieldVector vector, int row, Map<Integer, Object> values) {
    Object value = values.get(ArrowSchemas.fieldId(vector.getField()));
    if (vector instanceof StructVector struct) {
      for (FieldVector child : struct.getChildrenFromFields()) {
        write(child, row, values);
      }
      if (value != null) {
        struct.setIndexDefined(row);
      } else {
        struct.setNull(row);
      }
    } else if (value != null) {
      writeValue(vector, row, value);
    }
  }

  private static void writeValue(FieldVector vector, int row, Object value) {
    if (vector instanceof IntVector ints) {
      ints.setSafe(row, (int) value);
    } else if (vector instanceof BigIntVector longs) {
      longs.setSafe(row, (long) value);
    } else if (vector instanceof Float4Vector floats) {
      floats.setSafe(row, (float) value);
    } else if (vector instanceof Float8Vector doubles) {
      doubles.setSafe(row, (double) value);
    } else if (vector instanceof DecimalVector decimals) {
      decimals.setSafe(row, (BigDecimal) value);
    } else if (vector instanceof VarCharVector texts) {
      texts.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof BitVector bits) {
      bits.setSafe(row, (boolean) value ? 1 : 0);
    } else if (vector instanceof DateDayVector dates) {
      dates.setSafe(row, (int) value);
    } else if (vector instanceof TimeMicroVector times) {
      times.setSafe(row, (long) value);
    } else if (vector instanceof TimeStampVector stamps) {
      stamps.setSafe(row, (long) value);
    } else if (vector instanceof VarBinaryVector binaries) {
      binaries.setSafe(row, bytes(value));
    } else if (vector instanceof FixedSizeBinaryVector fixed) {
      fixed.setSafe(row, bytes(value));
    } else {
      throw new IllegalArgumentException("no value for " + vector.getField());
    }
  }

  static byte[] bytes(Object value) {
    if (value instanceof UUID uuid) {
      return ByteBuffer.allocate(16)
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
