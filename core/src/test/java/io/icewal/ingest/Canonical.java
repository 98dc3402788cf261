package io.icewal.ingest;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;

/// Reads canonical vectors back as plain Java values, one at a time: the naive way, for tests.
///
/// Structs and lists are [List], maps are [Map], bytes are [ByteBuffer].
@NullUnmarked // Nulls are part of what is tested.
final class Canonical {
  private Canonical() {}

  static List<Object> read(FieldVector vector, Type type) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < vector.getValueCount(); i++) {
      values.add(read(vector, i, type));
    }
    return values;
  }

  static Object read(FieldVector vector, int row, Type type) {
    if (vector instanceof NullVector || vector.isNull(row)) {
      return null;
    }
    return switch (type.typeId()) {
      case STRUCT -> struct(vector, row, type.asStructType().fields());
      case LIST -> list(vector, row, type.asListType().elementType());
      case MAP -> map((ListVector) vector, row, type);
      case BOOLEAN -> ((BitVector) vector).get(row) == 1;
      case INTEGER -> ((IntVector) vector).get(row);
      case LONG -> ((BigIntVector) vector).get(row);
      case FLOAT -> ((Float4Vector) vector).get(row);
      case DOUBLE -> ((Float8Vector) vector).get(row);
      case DATE -> ((DateDayVector) vector).get(row);
      case TIME -> ((TimeMicroVector) vector).get(row);
      case TIMESTAMP, TIMESTAMP_NANO -> ((TimeStampVector) vector).get(row);
      case DECIMAL -> (BigDecimal) ((DecimalVector) vector).getObject(row);
      case STRING -> new String(((VarCharVector) vector).get(row), StandardCharsets.UTF_8);
      case BINARY -> ByteBuffer.wrap(((VarBinaryVector) vector).get(row));
      case FIXED -> ByteBuffer.wrap(((FixedSizeBinaryVector) vector).get(row));
      case UUID -> uuid(((FixedSizeBinaryVector) vector).get(row));
      default -> throw new IllegalArgumentException(type.toString());
    };
  }

  private static Object struct(FieldVector vector, int row, List<NestedField> fields) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      values.add(read(vector.getChildrenFromFields().get(i), row, fields.get(i).type()));
    }
    return values;
  }

  private static Object list(FieldVector vector, int row, Type element) {
    ListVector list = (ListVector) vector;
    List<Object> values = new ArrayList<>();
    for (int i = list.getElementStartIndex(row); i < list.getElementEndIndex(row); i++) {
      values.add(read(list.getDataVector(), i, element));
    }
    return values;
  }

  private static Object map(ListVector map, int row, Type type) {
    List<FieldVector> entries = map.getDataVector().getChildrenFromFields();
    Map<Object, Object> values = new LinkedHashMap<>();
    for (int i = map.getElementStartIndex(row); i < map.getElementEndIndex(row); i++) {
      values.put(
          read(entries.get(0), i, type.asMapType().keyType()),
          read(entries.get(1), i, type.asMapType().valueType()));
    }
    return values;
  }

  private static UUID uuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }
}
