package io.icewal.sql;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/// A type of the oracle's columns: values of it at random, as SQL, and as Iceberg's rows have them.
/// A value of a row or an array is a list; immutable.
///
/// @param fields of a row; the element of an array
public record OracleType(Base base, List<OracleField> fields) {
  /// Kinds of types; in SQL each engine has its own names.
  public enum Base {
    BOOLEAN,
    INTEGER,
    BIGINT,
    NARROW_DECIMAL,
    WIDE_DECIMAL,
    VARCHAR,
    DATE,
    TIME,
    ROW,
    ARRAY
  }

  static OracleType of(Base base) {
    return new OracleType(base, List.of());
  }

  static OracleType row(OracleField... fields) {
    return new OracleType(Base.ROW, List.of(fields));
  }

  static OracleType array(OracleType element) {
    return new OracleType(Base.ARRAY, List.of(new OracleField("element", element)));
  }

  boolean isComparable() {
    return base != Base.ROW && base != Base.ARRAY;
  }

  boolean isNumber() {
    return base == Base.INTEGER || base == Base.BIGINT;
  }

  /// Few different values, so that rows meet.
  Object value(Random random) {
    return switch (base) {
      case BOOLEAN -> random.nextBoolean();
      case INTEGER -> random.nextInt(40) - 5;
      case BIGINT -> random.nextInt(40) - 5L;
      case NARROW_DECIMAL, WIDE_DECIMAL -> BigDecimal.valueOf(random.nextInt(3000) - 500, 2);
      case VARCHAR -> random.nextInt(12) == 0 ? "" : "s" + random.nextInt(25);
      case DATE -> LocalDate.of(2024, 1, 1).plusDays(random.nextInt(60));
      case TIME ->
          OffsetDateTime.of(2024, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC)
              .plusMinutes(random.nextInt(10_000))
              .plusNanos(random.nextInt(1_000_000) * 1_000L);
      case ROW -> {
        List<Object> values = new ArrayList<>();
        fields.forEach(field -> values.add(field.type().valueOrNull(random)));
        yield values;
      }
      case ARRAY ->
          IntStream.range(0, random.nextInt(3))
              .mapToObj(i -> fields.get(0).type().value(random))
              .toList();
    };
  }

  Object valueOrNull(Random random) {
    return random.nextInt(6) == 0 ? null : value(random);
  }

  String literal(OracleEngine engine, Object value) {
    if (value == null) {
      return cast(engine, "NULL");
    }
    return switch (base) {
      case ROW -> cast(engine, engine.struct(this, literals(engine, (List<?>) value)));
      case ARRAY -> cast(engine, engine.array(this, literals(engine, (List<?>) value)));
      default -> engine.literal(this, value);
    };
  }

  private String cast(OracleEngine engine, String value) {
    return "CAST(" + value + " AS " + engine.type(this) + ")";
  }

  private List<String> literals(OracleEngine engine, List<?> values) {
    return IntStream.range(0, values.size())
        .mapToObj(i -> fields.get(base == Base.ARRAY ? 0 : i).type().literal(engine, values.get(i)))
        .toList();
  }

  /// A value as Iceberg's generic rows have it.
  Object toIceberg(Object value, Type type) {
    if (value == null || isComparable() || base == Base.ARRAY) {
      return value;
    }
    Types.StructType struct = type.asStructType();
    GenericRecord record = GenericRecord.create(struct);
    for (int i = 0; i < fields.size(); i++) {
      Object child = ((List<?>) value).get(i);
      record.set(i, fields.get(i).type().toIceberg(child, struct.fields().get(i).type()));
    }
    return record;
  }

  /// The same type in Iceberg, of those that can be compared.
  public Type iceberg() {
    return switch (base) {
      case BOOLEAN -> Types.BooleanType.get();
      case INTEGER -> Types.IntegerType.get();
      case BIGINT -> Types.LongType.get();
      case NARROW_DECIMAL -> Types.DecimalType.of(10, 2);
      case WIDE_DECIMAL -> Types.DecimalType.of(25, 2);
      case VARCHAR -> Types.StringType.get();
      case DATE -> Types.DateType.get();
      case TIME -> Types.TimestampType.withZone();
      default -> throw new IllegalStateException("not a column of one value: " + base);
    };
  }

  /// The value after a change of the type.
  OracleType widened() {
    return switch (base) {
      case INTEGER -> of(Base.BIGINT);
      case NARROW_DECIMAL -> of(Base.WIDE_DECIMAL);
      default -> this;
    };
  }

  /// A value of the type before, as one of the widened type.
  static Object widen(Object value) {
    return value instanceof Integer number ? Long.valueOf(number) : value;
  }
}
