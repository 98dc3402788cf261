package io.icewal.cli.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
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
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// Chooses the [Cell] of an Iceberg type. The type is needed beside the vector because Arrow does
/// not tell a UUID from sixteen bytes.
final class Cells {
  private Cells() {}

  /// The cells of a result, in its order.
  ///
  /// @param table the table's schema, in which the result's columns are found by name
  static List<Cell> of(VectorSchemaRoot rows, Schema table) {
    List<Cell> cells = new ArrayList<>();
    for (FieldVector vector : rows.getFieldVectors()) {
      NestedField field = table.findField(vector.getName());
      if (field == null) {
        throw new IllegalStateException(
            "result column '" + vector.getName() + "' is not in the table's schema " + table);
      }
      cells.add(of(vector, field.type()));
    }
    return cells;
  }

  static Cell of(FieldVector vector, Type type) {
    return switch (type.typeId()) {
      case BOOLEAN, INTEGER, LONG, FLOAT, DOUBLE, DECIMAL -> number(vector, type);
      case DATE -> quoted(vector, i -> LocalDate.ofEpochDay(((DateDayVector) vector).get(i)));
      case TIME -> {
        TimeMicroVector times = (TimeMicroVector) vector;
        yield quoted(vector, i -> LocalTime.ofNanoOfDay(times.get(i) * 1000));
      }
      case TIMESTAMP -> {
        boolean zoned = ((Types.TimestampType) type).shouldAdjustToUTC();
        yield timestamp((TimeStampVector) vector, 1_000_000, zoned);
      }
      case TIMESTAMP_NANO -> {
        boolean zoned = ((Types.TimestampNanoType) type).shouldAdjustToUTC();
        yield timestamp((TimeStampVector) vector, 1_000_000_000, zoned);
      }
      case STRING -> {
        VarCharVector strings = (VarCharVector) vector;
        yield quoted(vector, i -> new String(strings.get(i), StandardCharsets.UTF_8));
      }
      case UUID -> quoted(vector, i -> uuid(((FixedSizeBinaryVector) vector).get(i)));
      case FIXED -> quoted(vector, i -> base64(((FixedSizeBinaryVector) vector).get(i)));
      case BINARY -> quoted(vector, i -> base64(((VarBinaryVector) vector).get(i)));
      case STRUCT -> new Structs((StructVector) vector, type.asStructType());
      case LIST -> new Lists((ListVector) vector, type.asListType());
      case MAP -> new Maps((ListVector) vector, type.asMapType());
      default -> quoted(vector, i -> "");
    };
  }

  private interface Value {
    Object at(int index);
  }

  private static Cell quoted(FieldVector vector, Value value) {
    return new Cell.Quoted(vector.getName()) {
      @Override
      boolean isNull(int index) {
        return vector.isNull(index);
      }

      @Override
      String text(int index) {
        return value.at(index).toString();
      }
    };
  }

  private static Cell bare(FieldVector vector, Value value) {
    return new Cell.Bare(vector.getName()) {
      @Override
      boolean isNull(int index) {
        return vector.isNull(index);
      }

      @Override
      String text(int index) {
        return value.at(index).toString();
      }
    };
  }

  private static Cell number(FieldVector vector, Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> bare(vector, i -> ((BitVector) vector).get(i) != 0);
      case INTEGER -> bare(vector, i -> ((IntVector) vector).get(i));
      case LONG -> bare(vector, i -> ((BigIntVector) vector).get(i));
      case FLOAT -> bare(vector, i -> ((Float4Vector) vector).get(i));
      case DOUBLE -> bare(vector, i -> ((Float8Vector) vector).get(i));
      default -> bare(vector, i -> plain(((DecimalVector) vector).getObject(i)));
    };
  }

  private static String plain(BigDecimal value) {
    return value.toPlainString();
  }

  private static Cell timestamp(TimeStampVector vector, long unitsOfSecond, boolean zoned) {
    long nanosOfUnit = 1_000_000_000 / unitsOfSecond;
    return quoted(
        vector,
        i -> {
          long units = vector.get(i);
          long seconds = Math.floorDiv(units, unitsOfSecond);
          long nanos = Math.floorMod(units, unitsOfSecond) * nanosOfUnit;
          String text = Instant.ofEpochSecond(seconds, nanos).toString();
          return zoned ? text : text.substring(0, text.length() - 1);
        });
  }

  private static UUID uuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private abstract static class NestedVector extends Cell.Nested {
    private final FieldVector vector;

    NestedVector(FieldVector vector) {
      super(vector.getName());
      this.vector = vector;
    }

    @Override
    final boolean isNull(int index) {
      return vector.isNull(index);
    }
  }

  private static final class Structs extends NestedVector {
    private final List<String> names = new ArrayList<>();
    private final List<Cell> fields = new ArrayList<>();

    Structs(StructVector vector, Types.StructType type) {
      super(vector);
      for (FieldVector child : vector.getChildrenFromFields()) {
        names.add(child.getName());
        fields.add(of(child, type.field(child.getName()).type()));
      }
    }

    @Override
    void jsonValue(JsonGenerator out, int index) throws IOException {
      out.writeStartObject();
      for (int i = 0; i < fields.size(); i++) {
        out.writeFieldName(names.get(i));
        fields.get(i).json(out, index);
      }
      out.writeEndObject();
    }
  }

  private static final class Lists extends NestedVector {
    private final ListVector lists;
    private final Cell elements;

    Lists(ListVector vector, Types.ListType type) {
      super(vector);
      lists = vector;
      elements = of(vector.getDataVector(), type.elementType());
    }

    @Override
    void jsonValue(JsonGenerator out, int index) throws IOException {
      out.writeStartArray();
      for (int i = lists.getElementStartIndex(index); i < lists.getElementEndIndex(index); i++) {
        elements.json(out, i);
      }
      out.writeEndArray();
    }
  }

  private static final class Maps extends NestedVector {
    private final ListVector maps;
    private final boolean stringKeys;
    private final Cell keys;
    private final Cell values;

    Maps(ListVector vector, Types.MapType type) {
      super(vector);
      maps = vector;
      StructVector entries = (StructVector) vector.getDataVector();
      keys = of(entries.getChildrenFromFields().get(0), type.keyType());
      values = of(entries.getChildrenFromFields().get(1), type.valueType());
      stringKeys = type.keyType().typeId() == Type.TypeID.STRING;
    }

    @Override
    void jsonValue(JsonGenerator out, int index) throws IOException {
      int end = maps.getElementEndIndex(index);
      if (stringKeys) {
        out.writeStartObject();
        for (int i = maps.getElementStartIndex(index); i < end; i++) {
          out.writeFieldName(keys.text(i));
          values.json(out, i);
        }
        out.writeEndObject();
        return;
      }
      out.writeStartArray();
      for (int i = maps.getElementStartIndex(index); i < end; i++) {
        out.writeStartObject();
        out.writeFieldName("key");
        keys.json(out, i);
        out.writeFieldName("value");
        values.json(out, i);
        out.writeEndObject();
      }
      out.writeEndArray();
    }
  }
}
