package io.icewal.model;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/// The values of a column that a partition transform has a result for. Beyond it, the result would
/// not fit its type: the hour of a timestamp in the year 250000 is no int, and there is no multiple
/// of ten below the lowest int. Iceberg's own arithmetic wraps around there, and its filters then
/// leave out files that hold matching rows.
///
/// @param sourceId field id of the column
/// @param transform the transform of the column, in words
/// @param min the lowest value, as Iceberg's whole number or unscaled decimal
/// @param max the highest value
public record PartitionRange(int sourceId, String transform, BigInteger min, BigInteger max) {
  private static final long MICROS_PER_HOUR = 3_600_000_000L;

  /// The ranges of all fields of a spec that do not take every value of their type.
  ///
  /// @param schema where the spec's sources are looked up
  public static List<PartitionRange> of(PartitionSpec spec, Schema schema) {
    List<PartitionRange> ranges = new ArrayList<>();
    for (PartitionField field : spec.fields()) {
      Types.NestedField source = schema.findField(field.sourceId());
      String name = schema.findColumnName(field.sourceId());
      if (source != null && name != null) {
        PartitionRange range = of(field.transform(), source.type(), field.sourceId(), name);
        if (range != null) {
          ranges.add(range);
        }
      }
    }
    return ranges;
  }

  /// The range of one transform of a column; null if it takes every value.
  public static @Nullable PartitionRange of(
      Transform<?, ?> transform, Type source, int sourceId, String name) {
    String text = transform.toString();
    BigInteger lowest = lowest(source);
    if (text.equals("hour") && source.typeId() == Type.TypeID.TIMESTAMP) {
      return new PartitionRange(
          sourceId,
          "hour(" + name + ")",
          BigInteger.valueOf(Integer.MIN_VALUE * MICROS_PER_HOUR),
          BigInteger.valueOf((Integer.MAX_VALUE + 1L) * MICROS_PER_HOUR - 1));
    }
    if (!text.startsWith("truncate[") || lowest == null) {
      return null;
    }
    String width = text.substring("truncate[".length(), text.length() - 1);
    return new PartitionRange(
        sourceId,
        "truncate(" + width + ", " + name + ")",
        lowestMultiple(lowest, new BigInteger(width)),
        source.typeId() == Type.TypeID.DECIMAL ? lowest.negate() : lowest.not());
  }

  /// The lowest value of a type whose truncation is a multiple; null for other types.
  private static @Nullable BigInteger lowest(Type source) {
    return switch (source.typeId()) {
      case INTEGER -> BigInteger.valueOf(Integer.MIN_VALUE);
      case LONG -> BigInteger.valueOf(Long.MIN_VALUE);
      case DECIMAL ->
          BigInteger.ONE.subtract(BigInteger.TEN.pow(((Types.DecimalType) source).precision()));
      default -> null;
    };
  }

  private static BigInteger lowestMultiple(BigInteger lowest, BigInteger width) {
    return lowest.divide(width).multiply(width);
  }

  /// Whether the transform has a result for the value.
  public boolean contains(BigInteger value) {
    return value.compareTo(min) >= 0 && value.compareTo(max) <= 0;
  }

  /// What is wrong with other values, in words.
  public String message() {
    return "value cannot be partitioned by " + transform + "; expected " + min + " to " + max;
  }
}
