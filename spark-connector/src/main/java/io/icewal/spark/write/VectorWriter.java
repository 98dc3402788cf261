package io.icewal.spark.write;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.BadValue;
import io.icewal.model.Rule;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
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
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;

/// Writes Spark's values of one field into an Arrow vector in canonical form
/// ([io.icewal.model.ArrowSchemas]). Used by one thread.
final class VectorWriter {
  private final NestedField field;
  private final FieldVector vector;
  private final List<VectorWriter> children = new ArrayList<>();

  private VectorWriter(NestedField field, FieldVector vector) {
    this.field = field;
    this.vector = vector;
    List<NestedField> fields =
        field.type().isNestedType() ? field.type().asNestedType().fields() : List.of();
    List<FieldVector> vectors =
        vector instanceof MapVector map
            ? map.getDataVector().getChildrenFromFields()
            : vector.getChildrenFromFields();
    for (int i = 0; i < fields.size(); i++) {
      children.add(new VectorWriter(fields.get(i), vectors.get(i)));
    }
  }

  /// A writer with a vector of its own; the caller closes the vector.
  static VectorWriter of(NestedField field, BufferAllocator allocator) {
    return new VectorWriter(field, ArrowSchemas.toArrow(field).createVector(allocator));
  }

  FieldVector vector() {
    return vector;
  }

  /// Writes the value at an ordinal of a row, or array, as that of one row of the vector. Rows come
  /// in ascending order, none is left out.
  ///
  /// @throws BadValue for a value that the field cannot hold
  void write(SpecializedGetters from, int ordinal, int row) {
    if (vector instanceof NullVector) {
      return;
    }
    if (from.isNullAt(ordinal)) {
      vector.setNull(row);
    } else if (field.type().isPrimitiveType()) {
      writeValue(from, ordinal, row);
    } else {
      writeNested(from, ordinal, row);
    }
  }

  private void writeValue(SpecializedGetters from, int ordinal, int row) {
    switch (field.type().typeId()) {
      case BOOLEAN -> ((BitVector) vector).setSafe(row, from.getBoolean(ordinal) ? 1 : 0);
      case INTEGER -> ((IntVector) vector).setSafe(row, from.getInt(ordinal));
      case DATE -> ((DateDayVector) vector).setSafe(row, from.getInt(ordinal));
      case LONG -> ((BigIntVector) vector).setSafe(row, from.getLong(ordinal));
      case TIMESTAMP -> ((TimeStampVector) vector).setSafe(row, from.getLong(ordinal));
      case FLOAT -> ((Float4Vector) vector).setSafe(row, from.getFloat(ordinal));
      case DOUBLE -> ((Float8Vector) vector).setSafe(row, from.getDouble(ordinal));
      case DECIMAL -> {
        DecimalVector decimals = (DecimalVector) vector;
        int precision = decimals.getPrecision();
        int scale = decimals.getScale();
        decimals.setSafe(row, from.getDecimal(ordinal, precision, scale).toJavaBigDecimal());
      }
      case STRING -> ((VarCharVector) vector).setSafe(row, text(from, ordinal));
      case BINARY -> ((VarBinaryVector) vector).setSafe(row, from.getBinary(ordinal));
      case UUID -> ((FixedSizeBinaryVector) vector).setSafe(row, uuid(from, ordinal));
      case FIXED -> ((FixedSizeBinaryVector) vector).setSafe(row, fixed(from, ordinal));
      default -> throw new IllegalStateException("no column of icewal: " + field);
    }
  }

  private byte[] text(SpecializedGetters from, int ordinal) {
    UTF8String text = from.getUTF8String(ordinal);
    if (!text.isValid()) {
      throw new BadValue(Rule.UTF8, field.name(), "the text is not valid UTF-8");
    }
    return text.getBytes();
  }

  private byte[] uuid(SpecializedGetters from, int ordinal) {
    String text = from.getUTF8String(ordinal).toString();
    try {
      UUID uuid = UUID.fromString(text);
      // Java cuts groups that are too long, and fills those that are too short.
      if (!uuid.toString().equalsIgnoreCase(text)) {
        throw new IllegalArgumentException(text);
      }
      ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
      return bytes
          .putLong(uuid.getMostSignificantBits())
          .putLong(uuid.getLeastSignificantBits())
          .array();
    } catch (IllegalArgumentException e) {
      throw new BadValue(Rule.UUID, field.name(), "'" + text + "' is no uuid");
    }
  }

  private byte[] fixed(SpecializedGetters from, int ordinal) {
    byte[] bytes = from.getBinary(ordinal);
    int length = ((FixedSizeBinaryVector) vector).getByteWidth();
    if (bytes.length != length) {
      throw new BadValue(
          Rule.LENGTH,
          field.name(),
          Rule.lengthMessage(bytes.length, field.type().toString(), length));
    }
    return bytes;
  }

  private void writeNested(SpecializedGetters from, int ordinal, int row) {
    try {
      switch (field.type().typeId()) {
        case STRUCT -> writeStruct(from.getStruct(ordinal, children.size()), row);
        case LIST -> writeList(from.getArray(ordinal), row);
        case MAP -> writeMap(from.getMap(ordinal), row);
        default -> throw new IllegalStateException("no column of icewal: " + field);
      }
    } catch (BadValue e) {
      throw e.within(field.name());
    }
  }

  private void writeStruct(InternalRow struct, int row) {
    for (int i = 0; i < children.size(); i++) {
      children.get(i).write(struct, i, row);
    }
    ((StructVector) vector).setIndexDefined(row);
  }

  private void writeList(ArrayData array, int row) {
    ListVector list = (ListVector) vector;
    int start = list.startNewValue(row);
    for (int i = 0; i < array.numElements(); i++) {
      children.get(0).write(array, i, start + i);
    }
    list.endValue(row, array.numElements());
  }

  private void writeMap(MapData map, int row) {
    MapVector entries = (MapVector) vector;
    StructVector pairs = (StructVector) entries.getDataVector();
    int start = entries.startNewValue(row);
    for (int i = 0; i < map.numElements(); i++) {
      children.get(0).write(map.keyArray(), i, start + i);
      children.get(1).write(map.valueArray(), i, start + i);
      pairs.setIndexDefined(start + i);
    }
    entries.endValue(row, map.numElements());
  }
}
