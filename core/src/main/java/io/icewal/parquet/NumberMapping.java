package io.icewal.parquet;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/// How a number as a file stores it becomes the number of the wanted type: promotions of the
/// table's schema, and units that other writers use.
enum NumberMapping {
  SAME,
  UNSIGNED_INT,
  FLOAT_TO_DOUBLE,
  TIMES_1000,
  BY_1000,
  DAYS_TO_MICROS,
  DAYS_TO_NANOS;

  /// @param wanted type of the column
  static NumberMapping of(PrimitiveType stored, Type wanted) {
    LogicalTypeAnnotation annotation = stored.getLogicalTypeAnnotation();
    PrimitiveTypeName kind = stored.getPrimitiveTypeName();
    if (kind == PrimitiveTypeName.FLOAT && wanted.typeId() == Type.TypeID.DOUBLE) {
      return FLOAT_TO_DOUBLE;
    } else if (kind == PrimitiveTypeName.INT32 && wanted.typeId() == Type.TypeID.TIMESTAMP) {
      return DAYS_TO_MICROS;
    } else if (kind == PrimitiveTypeName.INT32 && wanted.typeId() == Type.TypeID.TIMESTAMP_NANO) {
      return DAYS_TO_NANOS;
    } else if (kind == PrimitiveTypeName.INT32
        && annotation instanceof IntLogicalTypeAnnotation integer
        && !integer.isSigned()) {
      return UNSIGNED_INT;
    } else if (annotation instanceof TimeLogicalTypeAnnotation time) {
      return units(time.getUnit(), wanted);
    } else if (annotation instanceof TimestampLogicalTypeAnnotation timestamp) {
      return units(timestamp.getUnit(), wanted);
    } else if (kind == PrimitiveTypeName.INT96) {
      return units(TimeUnit.NANOS, wanted);
    }
    return SAME;
  }

  private static NumberMapping units(TimeUnit unit, Type wanted) {
    boolean nanos = wanted.typeId() == Type.TypeID.TIMESTAMP_NANO;
    return switch (unit) {
      case MILLIS -> nanos ? refuse(unit, wanted) : TIMES_1000;
      case MICROS -> nanos ? TIMES_1000 : SAME;
      case NANOS -> nanos ? SAME : BY_1000;
    };
  }

  private static NumberMapping refuse(@Nullable Object unit, Type wanted) {
    throw new IcewalException(
        ErrorKind.INVALID, "a column in " + unit + " cannot be read as " + wanted);
  }

  /// Whether a stored type can be read as the wanted one.
  static boolean fits(PrimitiveType stored, Type wanted) {
    return switch (wanted.typeId()) {
      case BOOLEAN -> stored.getPrimitiveTypeName() == PrimitiveTypeName.BOOLEAN;
      case INTEGER, DATE -> stored.getPrimitiveTypeName() == PrimitiveTypeName.INT32;
      case LONG, TIME ->
          stored.getPrimitiveTypeName() == PrimitiveTypeName.INT32
              || stored.getPrimitiveTypeName() == PrimitiveTypeName.INT64;
      case TIMESTAMP, TIMESTAMP_NANO ->
          stored.getPrimitiveTypeName() == PrimitiveTypeName.INT64
              || stored.getPrimitiveTypeName() == PrimitiveTypeName.INT96
              || isDate(stored);
      case FLOAT -> stored.getPrimitiveTypeName() == PrimitiveTypeName.FLOAT;
      case DOUBLE ->
          stored.getPrimitiveTypeName() == PrimitiveTypeName.FLOAT
              || stored.getPrimitiveTypeName() == PrimitiveTypeName.DOUBLE;
      case DECIMAL -> isDecimal(stored, ((Types.DecimalType) wanted).scale());
      case STRING, BINARY, FIXED, UUID ->
          stored.getPrimitiveTypeName() == PrimitiveTypeName.BINARY
              || stored.getPrimitiveTypeName() == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
      default -> false;
    };
  }

  private static boolean isDate(PrimitiveType stored) {
    return stored.getLogicalTypeAnnotation()
        instanceof LogicalTypeAnnotation.DateLogicalTypeAnnotation;
  }

  private static boolean isDecimal(PrimitiveType stored, int scale) {
    return stored.getLogicalTypeAnnotation()
            instanceof LogicalTypeAnnotation.DecimalLogicalTypeAnnotation decimal
        && decimal.getScale() == scale;
  }

  void apply(long[] values, int from, int to) {
    if (this == SAME) {
      return;
    }
    for (int i = from; i < to; i++) {
      values[i] = map(values[i]);
    }
  }

  private long map(long value) {
    return switch (this) {
      case SAME -> value;
      case UNSIGNED_INT -> Integer.toUnsignedLong((int) value);
      case FLOAT_TO_DOUBLE -> Double.doubleToRawLongBits(Float.intBitsToFloat((int) value));
      case TIMES_1000 -> Math.multiplyExact(value, 1000);
      case BY_1000 -> Math.floorDiv(value, 1000);
      case DAYS_TO_MICROS -> VectorPromotion.timestamp((int) value, false);
      case DAYS_TO_NANOS -> VectorPromotion.timestamp((int) value, true);
    };
  }
}
