package io.icewal.cli.json;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Set;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.SingleValueParser;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// Chooses the [JsonColumn] of an Iceberg type.
final class JsonColumns {
  private JsonColumns() {}

  /// @param keys field ids of the table's key
  static JsonColumn column(String path, NestedField field, FieldVector vector, Set<Integer> keys) {
    JsonColumn column = column(path, field.type(), vector, keys);
    if (keys.contains(field.fieldId())) {
      return column.refuseNull("key-not-null");
    }
    return field.isRequired() ? column.refuseNull("not-null") : column;
  }

  private static JsonColumn column(String path, Type type, FieldVector vector, Set<Integer> keys) {
    return switch (type.typeId()) {
      case BOOLEAN -> new JsonNumbers.Booleans(path, (BitVector) vector);
      case INTEGER -> new JsonNumbers.Ints(path, (IntVector) vector);
      case LONG -> new JsonNumbers.Longs(path, (BigIntVector) vector);
      case FLOAT -> new JsonNumbers.Floats(path, (Float4Vector) vector);
      case DOUBLE -> new JsonNumbers.Doubles(path, (Float8Vector) vector);
      case DECIMAL -> new JsonNumbers.Decimals(path, (DecimalVector) vector);
      case DATE -> new JsonTimes.Dates(path, (DateDayVector) vector);
      case TIME -> new JsonTimes.Times(path, (TimeMicroVector) vector);
      case TIMESTAMP -> {
        boolean zoned = ((Types.TimestampType) type).shouldAdjustToUTC();
        yield new JsonTimes.Timestamps(path, (TimeStampVector) vector, zone(zoned), false);
      }
      case TIMESTAMP_NANO -> {
        boolean zoned = ((Types.TimestampNanoType) type).shouldAdjustToUTC();
        yield new JsonTimes.Timestamps(path, (TimeStampVector) vector, zone(zoned), true);
      }
      case STRING -> new JsonTexts.Strings(path, (VarCharVector) vector);
      case UUID -> new JsonTexts.Uuids(path, (FixedSizeBinaryVector) vector);
      case FIXED -> new JsonTexts.Fixed(path, (FixedSizeBinaryVector) vector);
      case BINARY -> new JsonTexts.Binaries(path, (VarBinaryVector) vector);
      case UNKNOWN -> new JsonTexts.Nulls(path, (NullVector) vector);
      case STRUCT -> new JsonNested.Structs(path, type.asStructType(), (StructVector) vector, keys);
      case LIST -> new JsonNested.Lists(path, type.asListType(), (ListVector) vector, keys);
      case MAP -> new JsonNested.Maps(path, type.asMapType(), (MapVector) vector, keys);
      default ->
          throw new IcewalException(
              ErrorKind.INVALID, "column " + path + ": type " + type + " cannot be loaded as JSON");
    };
  }

  /// A column's write-default as the JSON text that the column itself would read.
  static String defaultText(NestedField field) {
    Object value = field.writeDefault();
    if (value instanceof ByteBuffer bytes) {
      String base64 = Base64.getEncoder().encodeToString(bytesOf(bytes));
      return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(base64)) + '"';
    }
    return SingleValueParser.toJson(field.type(), value);
  }

  private static byte[] bytesOf(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static IsoTimes.Zone zone(boolean zoned) {
    return zoned ? IsoTimes.Zone.REQUIRED : IsoTimes.Zone.FORBIDDEN;
  }
}
