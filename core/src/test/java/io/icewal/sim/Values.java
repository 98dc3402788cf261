package io.icewal.sim;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Values that follow from a number: what a column of a type holds for it, how it is put into an
/// Arrow vector, and one plain form to compare what different readers give.
final class Values {
  private Values() {}

  /// The value of a type for a number, in plain form; null for some numbers if `nullable`.
  static @Nullable Object of(Type type, long number, boolean nullable) {
    if (nullable && Math.floorMod(number, 7) == 3) {
      return null;
    }
    return switch (type.typeId()) {
      case BOOLEAN -> (number & 1) == 0;
      case INTEGER, DATE -> (int) (number * 31 % 20000 - 5000);
      case LONG -> number * 1_000_003L - 77;
      case DOUBLE -> number / 8.0;
      case FLOAT -> number / 8.0f;
      case DECIMAL -> BigDecimal.valueOf(number * 13 - 1000, ((Types.DecimalType) type).scale());
      case TIMESTAMP -> number * 1_234_567L - 5_000_000_000L;
      case STRING -> "s" + number + (number % 5 == 0 ? "\u00e9\ud83d\ude00" : "");
      case UUID -> new UUID(number * 0x9E3779B97F4A7C15L, number).toString();
      case LIST -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (long i = 0; i < Math.floorMod(number, 3); i++) {
          list.add(of(type.asListType().elementType(), number + i, true));
        }
        yield list;
      }
      case STRUCT -> {
        Map<String, @Nullable Object> struct = new LinkedHashMap<>();
        for (NestedField field : type.asStructType().fields()) {
          struct.put(field.name(), of(field.type(), number + field.fieldId(), field.isOptional()));
        }
        yield struct;
      }
      default -> throw new IllegalArgumentException("no values of type " + type);
    };
  }

  /// Puts a plain value into a vector at an index.
  static void set(FieldVector vector, int index, @Nullable Object value) {
    if (value == null) {
      vector.setNull(index);
    } else if (vector instanceof BitVector bits) {
      bits.setSafe(index, (Boolean) value ? 1 : 0);
    } else if (vector instanceof IntVector ints) {
      ints.setSafe(index, (Integer) value);
    } else if (vector instanceof DateDayVector days) {
      days.setSafe(index, (Integer) value);
    } else if (vector instanceof BigIntVector longs) {
      longs.setSafe(index, (Long) value);
    } else if (vector instanceof Float4Vector floats) {
      floats.setSafe(index, (Float) value);
    } else if (vector instanceof Float8Vector doubles) {
      doubles.setSafe(index, (Double) value);
    } else if (vector instanceof DecimalVector decimals) {
      decimals.setSafe(index, (BigDecimal) value);
    } else if (vector instanceof TimeStampMicroTZVector instants) {
      instants.setSafe(index, (Long) value);
    } else if (vector instanceof VarCharVector strings) {
      strings.setSafe(index, ((String) value).getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof FixedSizeBinaryVector fixed) {
      UUID uuid = UUID.fromString((String) value);
      fixed.setSafe(
          index,
          ByteBuffer.allocate(16)
              .putLong(uuid.getMostSignificantBits())
              .putLong(uuid.getLeastSignificantBits())
              .array());
    } else {
      setNested(vector, index, value);
    }
  }

  private static void setNested(FieldVector vector, int index, Object value) {
    if (vector instanceof ListVector list) {
      List<?> elements = (List<?>) value;
      int start = list.startNewValue(index);
      for (int i = 0; i < elements.size(); i++) {
        set(list.getDataVector(), start + i, elements.get(i));
      }
      list.endValue(index, elements.size());
    } else if (vector instanceof StructVector struct) {
      struct.setIndexDefined(index);
      for (FieldVector child : struct.getChildrenFromFields()) {
        set(child, index, ((Map<?, ?>) value).get(child.getName()));
      }
    } else {
      throw new IllegalArgumentException("no way to fill " + vector.getField());
    }
  }

  /// The plain form of what an Arrow vector or an Iceberg reader gave.
  static @Nullable Object plain(Type type, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    return switch (type.typeId()) {
      case STRING -> value.toString();
      case DATE -> value instanceof LocalDate date ? (Object) (int) date.toEpochDay() : value;
      case TIMESTAMP -> plainInstant(value);
      case UUID -> value instanceof byte[] bytes ? uuid(bytes) : value.toString();
      case LIST -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (Object element : (List<?>) value) {
          list.add(plain(type.asListType().elementType(), element));
        }
        yield list;
      }
      case STRUCT -> plainStruct(type.asStructType(), value);
      default -> value;
    };
  }

  private static Object plainStruct(Types.StructType type, Object value) {
    Map<String, @Nullable Object> struct = new LinkedHashMap<>();
    for (int i = 0; i < type.fields().size(); i++) {
      NestedField field = type.fields().get(i);
      Object child =
          value instanceof StructLike row
              ? row.get(i, Object.class)
              : ((Map<?, ?>) value).get(field.name());
      struct.put(field.name(), plain(field.type(), child));
    }
    return struct;
  }

  private static Object plainInstant(Object value) {
    if (value instanceof OffsetDateTime time) {
      return ChronoUnit.MICROS.between(
          OffsetDateTime.ofInstant(java.time.Instant.EPOCH, ZoneOffset.UTC), time);
    }
    if (value instanceof LocalDateTime time) {
      return ChronoUnit.MICROS.between(LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), time);
    }
    return value;
  }

  private static String uuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong()).toString();
  }
}
