package io.icewal.parquet;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Random schemas and records from a seed.
public final class RandomRows {
  public static final List<Type> PRIMITIVES =
      List.of(
          Types.BooleanType.get(),
          Types.IntegerType.get(),
          Types.LongType.get(),
          Types.FloatType.get(),
          Types.DoubleType.get(),
          Types.DecimalType.of(9, 2),
          Types.DecimalType.of(18, 4),
          Types.DecimalType.of(38, 10),
          Types.DateType.get(),
          Types.TimeType.get(),
          Types.TimestampType.withoutZone(),
          Types.TimestampType.withZone(),
          Types.TimestampNanoType.withoutZone(),
          Types.TimestampNanoType.withZone(),
          Types.StringType.get(),
          Types.UUIDType.get(),
          Types.FixedType.ofLength(5),
          Types.BinaryType.get());

  private static final String[] STRINGS = {
    "", "a", "a ", "A", "null", "\u00e9", "e\u0301", "\uFFFD", "\uD83D\uDE00", "\u0000", "z\u0000z"
  };

  private final Random random;
  private final List<Type> primitives;
  private int nextId = 1;

  public RandomRows(long seed) {
    this(seed, PRIMITIVES);
  }

  /// @param primitives the types of random schemas
  public RandomRows(long seed, List<Type> primitives) {
    this.random = new Random(seed);
    this.primitives = primitives;
  }

  /// A schema of the given number of columns, nested up to the given depth.
  public Schema schema(int columns, int depth) {
    List<NestedField> fields = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      fields.add(field("c" + i, depth));
    }
    return new Schema(fields);
  }

  private NestedField field(String name, int depth) {
    int id = nextId++;
    boolean optional = random.nextInt(3) > 0;
    return NestedField.builder()
        .withId(id)
        .withName(name)
        .isOptional(optional)
        .ofType(type(depth))
        .build();
  }

  private Type type(int depth) {
    int kind = depth == 0 ? 3 : random.nextInt(6);
    if (kind == 0) {
      List<NestedField> fields = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(3); i++) {
        fields.add(field("f" + i, depth - 1));
      }
      return Types.StructType.of(fields);
    } else if (kind == 1) {
      Type element = type(depth - 1);
      int id = nextId++;
      return random.nextBoolean()
          ? Types.ListType.ofOptional(id, element)
          : Types.ListType.ofRequired(id, element);
    } else if (kind == 2) {
      Type value = type(depth - 1);
      int key = nextId++;
      int id = nextId++;
      Type keyType = random.nextBoolean() ? Types.StringType.get() : Types.LongType.get();
      return random.nextBoolean()
          ? Types.MapType.ofOptional(key, id, keyType, value)
          : Types.MapType.ofRequired(key, id, keyType, value);
    }
    return primitives.get(random.nextInt(primitives.size()));
  }

  public List<Record> records(Schema schema, int count) {
    List<Record> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(record(schema.asStruct()));
    }
    return records;
  }

  private Record record(Types.StructType type) {
    Record record = GenericRecord.create(type);
    for (int i = 0; i < type.fields().size(); i++) {
      record.set(i, maybe(type.fields().get(i).isOptional(), type.fields().get(i).type()));
    }
    return record;
  }

  private @Nullable Object maybe(boolean optional, Type type) {
    return optional && random.nextInt(4) == 0 ? null : value(type);
  }

  /// A random value that is not null; edge values are frequent.
  public @Nullable Object value(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> random.nextBoolean();
      case INTEGER -> (int) number(Integer.MIN_VALUE, Integer.MAX_VALUE);
      case LONG -> number(Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT -> (float) floating();
      case DOUBLE -> floating();
      case DECIMAL -> decimal((Types.DecimalType) type);
      case DATE -> LocalDate.ofEpochDay(number(-1_000_000, 1_000_000));
      case TIME -> LocalTime.ofNanoOfDay(1000 * number(0, 86_399_999_999L));
      case TIMESTAMP ->
          time(
              Instant.EPOCH.plus(number(-4_000_000_000_000_000L, 4L << 50), ChronoUnit.MICROS),
              ((Types.TimestampType) type).shouldAdjustToUTC());
      case TIMESTAMP_NANO ->
          time(
              Instant.EPOCH.plus(number(-(1L << 62), 1L << 62), ChronoUnit.NANOS),
              ((Types.TimestampNanoType) type).shouldAdjustToUTC());
      case STRING -> string();
      case UUID -> new UUID(number(Long.MIN_VALUE, Long.MAX_VALUE), random.nextLong());
      case FIXED -> bytes(((Types.FixedType) type).length());
      case BINARY -> ByteBuffer.wrap(bytes(random.nextInt(12)));
      case STRUCT -> record(type.asStructType());
      case LIST -> list(type.asListType());
      case MAP -> map(type.asMapType());
      default -> throw new IllegalArgumentException("type " + type);
    };
  }

  private static Object time(Instant instant, boolean zoned) {
    return zoned
        ? instant.atOffset(ZoneOffset.UTC)
        : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  private long number(long low, long high) {
    return switch (random.nextInt(8)) {
      case 0 -> low;
      case 1 -> high;
      case 2 -> Math.max(low, -1);
      case 3 -> Math.max(low, Math.min(high, 0));
      case 4, 5 -> Math.max(low, Math.min(high, random.nextInt(200) - 100));
      default -> Math.max(low, Math.min(high, random.nextLong() >> random.nextInt(40)));
    };
  }

  private double floating() {
    return switch (random.nextInt(8)) {
      case 0 -> Double.NaN;
      case 1 -> -0.0;
      case 2 -> 0.0;
      case 3 -> Double.NEGATIVE_INFINITY;
      default -> random.nextGaussian();
    };
  }

  private BigDecimal decimal(Types.DecimalType type) {
    BigInteger bound = BigInteger.TEN.pow(type.precision()).subtract(BigInteger.ONE);
    BigInteger unscaled =
        switch (random.nextInt(5)) {
          case 0 -> bound;
          case 1 -> bound.negate();
          case 2 -> BigInteger.valueOf(-1);
          default -> new BigInteger(bound.bitLength() - 1, random).negate();
        };
    return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
  }

  private String string() {
    if (random.nextInt(3) == 0) {
      return STRINGS[random.nextInt(STRINGS.length)];
    }
    return Long.toString(random.nextLong() >>> random.nextInt(60), 36);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private List<Object> list(Types.ListType type) {
    List<Object> list = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      list.add(maybe(type.isElementOptional(), type.elementType()));
    }
    return list;
  }

  private Map<Object, Object> map(Types.MapType type) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      map.put(value(type.keyType()), maybe(type.isValueOptional(), type.valueType()));
    }
    return map;
  }
}
