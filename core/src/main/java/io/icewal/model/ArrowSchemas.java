package io.icewal.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// The canonical Arrow form of Iceberg types: the one form that rows have from validation until
/// they stand in a data file, and again when they are read.
///
/// | Iceberg | Arrow |
/// |---|---|
/// | boolean, int, long, float, double | Bool, Int32, Int64, Float32, Float64 |
/// | decimal(p, s) | Decimal128(p, s) |
/// | date, time | Date32, Time64(us) |
/// | timestamp, timestamptz | Timestamp(us), Timestamp(us, UTC) |
/// | timestamp_ns, timestamptz_ns | Timestamp(ns), Timestamp(ns, UTC) |
/// | string, binary | Utf8, Binary |
/// | uuid, fixed(n) | FixedSizeBinary(16), FixedSizeBinary(n) |
/// | struct, list, map | Struct, List (`element`), Map (`entries`: `key`, `value`) |
/// | unknown | Null |
///
/// Each field, nested ones too, carries its Iceberg field id in its metadata under [#FIELD_ID_KEY],
/// the key that Arrow's own Parquet readers use.
public final class ArrowSchemas {
  /// Metadata key of an Arrow field that holds its Iceberg field id in decimal.
  public static final String FIELD_ID_KEY = "PARQUET:field_id";

  /// Fields within fields, the outermost counted. Other engines' readers, and Protobuf's in the
  /// log, give up not far beyond.
  public static final int DEPTH_MAX = 64;

  private ArrowSchemas() {}

  /// The canonical Arrow schema of an Iceberg schema.
  ///
  /// @throws IcewalException INVALID for a type that icewal does not store (variant, geometry, …),
  ///   or fields nested deeper than [#DEPTH_MAX]
  public static Schema toArrow(org.apache.iceberg.Schema schema) {
    return new Schema(schema.columns().stream().map(ArrowSchemas::toArrow).toList());
  }

  /// The canonical Arrow field of an Iceberg field; name, nullability and id are kept.
  public static Field toArrow(NestedField field) {
    return toArrow(field, 1);
  }

  private static Field toArrow(NestedField field, int depth) {
    return field(field.name(), field.isOptional(), field.fieldId(), field.type(), depth);
  }

  /// The Iceberg field id in an Arrow field's metadata.
  ///
  /// @throws IllegalArgumentException if there is none
  public static int fieldId(Field field) {
    String id = field.getMetadata().get(FIELD_ID_KEY);
    if (id == null) {
      throw new IllegalArgumentException("Arrow field without field id: " + field);
    }
    return Integer.parseInt(id);
  }

  /// The vector with the given field id among the given ones, or null.
  public static <V extends org.apache.arrow.vector.ValueVector> @Nullable V find(
      Iterable<? extends V> vectors, int fieldId) {
    for (V vector : vectors) {
      if (fieldId(vector.getField()) == fieldId) {
        return vector;
      }
    }
    return null;
  }

  private static Field field(String name, boolean nullable, int id, Type type, int depth) {
    if (depth > DEPTH_MAX) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "field '" + name + "' is nested more than " + DEPTH_MAX + " fields deep");
    }
    Map<String, String> metadata = Map.of(FIELD_ID_KEY, Integer.toString(id));
    FieldType fieldType = new FieldType(nullable, arrowType(type), null, metadata);
    return new Field(name, fieldType, children(type, depth + 1));
  }

  private static List<Field> children(Type type, int depth) {
    return switch (type.typeId()) {
      case STRUCT -> {
        List<Field> fields = new ArrayList<>();
        for (NestedField field : type.asStructType().fields()) {
          fields.add(toArrow(field, depth));
        }
        yield fields;
      }
      case LIST -> {
        Types.ListType list = type.asListType();
        yield List.of(
            field(
                "element", list.isElementOptional(), list.elementId(), list.elementType(), depth));
      }
      case MAP -> {
        Types.MapType map = type.asMapType();
        Field key = field("key", false, map.keyId(), map.keyType(), depth);
        Field value = field("value", map.isValueOptional(), map.valueId(), map.valueType(), depth);
        FieldType entries = new FieldType(false, ArrowType.Struct.INSTANCE, null);
        yield List.of(new Field("entries", entries, List.of(key, value)));
      }
      default -> List.of();
    };
  }

  private static ArrowType arrowType(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      case INTEGER -> new ArrowType.Int(32, true);
      case LONG -> new ArrowType.Int(64, true);
      case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DECIMAL -> {
        Types.DecimalType decimal = (Types.DecimalType) type;
        yield new ArrowType.Decimal(decimal.precision(), decimal.scale(), 128);
      }
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TIME -> new ArrowType.Time(TimeUnit.MICROSECOND, 64);
      case TIMESTAMP ->
          new ArrowType.Timestamp(
              TimeUnit.MICROSECOND,
              ((Types.TimestampType) type).shouldAdjustToUTC() ? "UTC" : null);
      case TIMESTAMP_NANO ->
          new ArrowType.Timestamp(
              TimeUnit.NANOSECOND,
              ((Types.TimestampNanoType) type).shouldAdjustToUTC() ? "UTC" : null);
      case STRING -> ArrowType.Utf8.INSTANCE;
      case BINARY -> ArrowType.Binary.INSTANCE;
      case UUID -> new ArrowType.FixedSizeBinary(16);
      case FIXED -> new ArrowType.FixedSizeBinary(((Types.FixedType) type).length());
      case STRUCT -> ArrowType.Struct.INSTANCE;
      case LIST -> ArrowType.List.INSTANCE;
      case MAP -> new ArrowType.Map(false);
      case UNKNOWN -> ArrowType.Null.INSTANCE;
      default ->
          throw new IcewalException(
              ErrorKind.INVALID, "type " + type + " is not supported by icewal");
    };
  }
}
