package io.icewal.ingest;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;

/// Random table types, and values of them that every Arrow form can hold.
@NullUnmarked // Nulls are part of what is tested.
final class RandomRows {
  private int nextId = 100;

  Type type(Random random, int depth) {
    int kind = random.nextInt(depth > 0 ? 22 : 16);
    return switch (kind) {
      case 0 -> Types.BooleanType.get();
      case 1 -> Types.IntegerType.get();
      case 2 -> Types.LongType.get();
      case 3 -> Types.FloatType.get();
      case 4 -> Types.DoubleType.get();
      case 5 -> Types.DecimalType.of(1 + random.nextInt(30), 0);
      case 6 -> Types.DecimalType.of(20, 7);
      case 7 -> Types.DateType.get();
      case 8 -> Types.TimeType.get();
      case 9 ->
          random.nextBoolean() ? Types.TimestampType.withZone() : Types.TimestampType.withoutZone();
      case 10 ->
          random.nextBoolean()
              ? Types.TimestampNanoType.withZone()
              : Types.TimestampNanoType.withoutZone();
      case 11, 12 -> Types.StringType.get();
      case 13 -> Types.BinaryType.get();
      case 14 -> Types.FixedType.ofLength(1 + random.nextInt(9));
      case 15 -> Types.UUIDType.get();
      case 16, 17 -> struct(random, depth);
      case 18, 19 -> Types.ListType.ofOptional(nextId++, type(random, depth - 1));
      default ->
          Types.MapType.ofOptional(
              nextId++,
              nextId++,
              type(random, random.nextInt(4) == 0 ? depth - 1 : 0),
              type(random, depth - 1));
    };
  }

  private Type struct(Random random, int depth) {
    List<NestedField> fields = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      fields.add(NestedField.optional(nextId++, "f" + i, type(random, depth - 1)));
    }
    return Types.StructType.of(fields);
  }

  static List<Object> values(Random random, Type type, int count) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean again = i > 0 && random.nextInt(4) == 0;
      values.add(again ? values.get(i - 1) : random.nextInt(5) == 0 ? null : value(random, type));
    }
    return values;
  }

  /// Values that every form can hold: small integers, whole seconds, short decimals.
  private static Object value(Random random, Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> random.nextBoolean();
      case INTEGER -> random.nextInt(128);
      case LONG -> (long) random.nextInt(128);
      case FLOAT -> random.nextFloat();
      case DOUBLE -> (double) random.nextFloat();
      case DECIMAL -> decimal(random, (Types.DecimalType) type);
      case DATE -> random.nextInt(40_000) - 20_000;
      case TIME -> random.nextInt(86_400) * 1_000_000L;
      case TIMESTAMP -> (random.nextInt() / 2) * 1_000_000L;
      case TIMESTAMP_NANO -> (random.nextInt() / 2) * 1_000_000_000L;
      case STRING -> text(random);
      case BINARY -> bytes(random, random.nextInt(30));
      case FIXED -> bytes(random, ((Types.FixedType) type).length());
      case UUID -> new UUID(random.nextLong(), random.nextLong());
      case STRUCT -> {
        List<Object> values = new ArrayList<>();
        for (NestedField field : type.asStructType().fields()) {
          values.add(random.nextInt(4) == 0 ? null : value(random, field.type()));
        }
        yield values;
      }
      case LIST -> values(random, type.asListType().elementType(), random.nextInt(4));
      case MAP -> map(random, type.asMapType());
      default -> throw new IllegalArgumentException(type.toString());
    };
  }

  private static Map<Object, Object> map(Random random, Types.MapType type) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < random.nextInt(4); i++) {
      map.put(
          value(random, type.keyType()),
          random.nextInt(4) == 0 ? null : value(random, type.valueType()));
    }
    return map;
  }

  private static BigDecimal decimal(Random random, Types.DecimalType type) {
    BigInteger unscaled = new BigInteger(90, random).mod(BigInteger.TEN.pow(type.precision()));
    return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < random.nextInt(20); i++) {
      int kind = random.nextInt(12);
      text.appendCodePoint(kind == 0 ? 0x1F600 : kind == 1 ? 0xE4 : 'a' + random.nextInt(26));
    }
    return text.toString();
  }

  private static ByteBuffer bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }
}
