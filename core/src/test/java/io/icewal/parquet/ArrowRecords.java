package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Iceberg records as canonical Arrow rows and back, value by value: slow, obvious, and sharing no
/// code with what is tested.
public final class ArrowRecords {
  private static final Instant EPOCH = Instant.EPOCH;

  private ArrowRecords() {}

  public static VectorSchemaRoot toArrow(
      Schema schema, List<? extends Record> records, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
    root.allocateNew();
    for (int c = 0; c < schema.columns().size(); c++) {
      FieldVector vector = root.getVector(c);
      for (int r = 0; r < records.size(); r++) {
        set(vector, r, schema.columns().get(c).type(), records.get(r).get(c));
      }
      vector.setValueCount(records.size());
    }
    root.setRowCount(records.size());
    return root;
  }

  private static void set(FieldVector vector, int row, Type type, @Nullable Object value) {
    if (type.typeId() == Type.TypeID.UNKNOWN) {
      return;
    }
    while (row >= vector.getValueCapacity()) {
      vector.reAlloc();
    }
    if (value == null) {
      if (vector instanceof ListVector list) {
        list.setNull(row);
      } else {
        vector.setNull(row);
      }
      return;
    }
    switch (type.typeId()) {
      case BOOLEAN -> ((BitVector) vector).setSafe(row, (Boolean) value ? 1 : 0);
      case INTEGER -> ((IntVector) vector).setSafe(row, (Integer) value);
      case LONG -> ((BigIntVector) vector).setSafe(row, (Long) value);
      case FLOAT -> ((Float4Vector) vector).setSafe(row, (Float) value);
      case DOUBLE -> ((Float8Vector) vector).setSafe(row, (Double) value);
      case DECIMAL -> ((DecimalVector) vector).setSafe(row, (BigDecimal) value);
      case DATE -> ((DateDayVector) vector).setSafe(row, (int) ((LocalDate) value).toEpochDay());
      case TIME ->
          ((TimeMicroVector) vector).setSafe(row, ((LocalTime) value).toNanoOfDay() / 1000);
      case TIMESTAMP ->
          ((TimeStampVector) vector).setSafe(row, ChronoUnit.MICROS.between(EPOCH, instant(value)));
      case TIMESTAMP_NANO ->
          ((TimeStampVector) vector).setSafe(row, ChronoUnit.NANOS.between(EPOCH, instant(value)));
      case STRING ->
          ((VarCharVector) vector).setSafe(row, ((String) value).getBytes(StandardCharsets.UTF_8));
      case BINARY -> ((VarBinaryVector) vector).setSafe(row, bytes((ByteBuffer) value));
      case UUID -> ((FixedSizeBinaryVector) vector).setSafe(row, uuidBytes((UUID) value));
      case FIXED -> ((FixedSizeBinaryVector) vector).setSafe(row, (byte[]) value);
      case STRUCT -> setStruct((StructVector) vector, row, type.asStructType(), (Record) value);
      case LIST -> setList((ListVector) vector, row, type.asListType(), (List<?>) value);
      case MAP -> setMap((ListVector) vector, row, type.asMapType(), (Map<?, ?>) value);
      default -> throw new IllegalArgumentException("type " + type);
    }
  }

  private static void setStruct(StructVector vector, int row, Types.StructType type, Record value) {
    vector.setIndexDefined(row);
    for (int i = 0; i < type.fields().size(); i++) {
      set(
          (FieldVector) vector.getChildByOrdinal(i),
          row,
          type.fields().get(i).type(),
          value.get(i));
    }
  }

  private static void setList(ListVector vector, int row, Types.ListType type, List<?> value) {
    int start = vector.startNewValue(row);
    for (int i = 0; i < value.size(); i++) {
      set(vector.getDataVector(), start + i, type.elementType(), value.get(i));
    }
    vector.endValue(row, value.size());
  }

  private static void setMap(ListVector vector, int row, Types.MapType type, Map<?, ?> value) {
    int start = vector.startNewValue(row);
    StructVector entries = (StructVector) vector.getDataVector();
    int i = start;
    for (Map.Entry<?, ?> entry : value.entrySet()) {
      while (i >= entries.getValueCapacity()) {
        entries.reAlloc();
      }
      entries.setIndexDefined(i);
      set((FieldVector) entries.getChildByOrdinal(0), i, type.keyType(), entry.getKey());
      set((FieldVector) entries.getChildByOrdinal(1), i, type.valueType(), entry.getValue());
      i++;
    }
    vector.endValue(row, value.size());
  }

  private static Instant instant(Object value) {
    return value instanceof OffsetDateTime zoned
        ? zoned.toInstant()
        : ((LocalDateTime) value).toInstant(ZoneOffset.UTC);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static byte[] uuidBytes(UUID uuid) {
    return ByteBuffer.allocate(16)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }

  public static List<Record> toRecords(Schema schema, VectorSchemaRoot rows) {
    List<Record> records = new ArrayList<>();
    for (int r = 0; r < rows.getRowCount(); r++) {
      Record record = GenericRecord.create(schema);
      for (int c = 0; c < schema.columns().size(); c++) {
        NestedField field = schema.columns().get(c);
        FieldVector vector = ArrowSchemas.find(rows.getFieldVectors(), field.fieldId());
        record.set(c, vector == null ? null : get(vector, r, field.type()));
      }
      records.add(record);
    }
    return records;
  }

  private static @Nullable Object get(FieldVector vector, int row, Type type) {
    if (type.typeId() == Type.TypeID.UNKNOWN || vector.isNull(row)) {
      return null;
    }
    return switch (type.typeId()) {
      case BOOLEAN -> ((BitVector) vector).get(row) != 0;
      case INTEGER -> ((IntVector) vector).get(row);
      case LONG -> ((BigIntVector) vector).get(row);
      case FLOAT -> ((Float4Vector) vector).get(row);
      case DOUBLE -> ((Float8Vector) vector).get(row);
      case DECIMAL -> ((DecimalVector) vector).getObject(row);
      case DATE -> LocalDate.ofEpochDay(((DateDayVector) vector).get(row));
      case TIME -> LocalTime.ofNanoOfDay(1000 * ((TimeMicroVector) vector).get(row));
      case TIMESTAMP ->
          time(
              EPOCH.plus(((TimeStampVector) vector).get(row), ChronoUnit.MICROS),
              ((Types.TimestampType) type).shouldAdjustToUTC());
      case TIMESTAMP_NANO ->
          time(
              EPOCH.plus(((TimeStampVector) vector).get(row), ChronoUnit.NANOS),
              ((Types.TimestampNanoType) type).shouldAdjustToUTC());
      case STRING -> new String(((VarCharVector) vector).get(row), StandardCharsets.UTF_8);
      case BINARY -> ByteBuffer.wrap(((VarBinaryVector) vector).get(row));
      case UUID -> uuid(((FixedSizeBinaryVector) vector).get(row));
      case FIXED -> ((FixedSizeBinaryVector) vector).get(row);
      case STRUCT -> getStruct((StructVector) vector, row, type.asStructType());
      case LIST -> getList((ListVector) vector, row, type.asListType());
      case MAP -> getMap((ListVector) vector, row, type.asMapType());
      default -> throw new IllegalArgumentException("type " + type);
    };
  }

  private static UUID uuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  private static Object time(Instant instant, boolean zoned) {
    return zoned
        ? instant.atOffset(ZoneOffset.UTC)
        : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  private static Record getStruct(StructVector vector, int row, Types.StructType type) {
    Record record = GenericRecord.create(type);
    for (int i = 0; i < type.fields().size(); i++) {
      NestedField field = type.fields().get(i);
      FieldVector child = ArrowSchemas.find(vector.getChildrenFromFields(), field.fieldId());
      record.set(i, child == null ? null : get(child, row, field.type()));
    }
    return record;
  }

  private static List<Object> getList(ListVector vector, int row, Types.ListType type) {
    List<Object> list = new ArrayList<>();
    for (int i = vector.getElementStartIndex(row); i < vector.getElementEndIndex(row); i++) {
      list.add(get(vector.getDataVector(), i, type.elementType()));
    }
    return list;
  }

  private static Map<Object, Object> getMap(ListVector vector, int row, Types.MapType type) {
    Map<Object, Object> map = new LinkedHashMap<>();
    StructVector entries = (StructVector) vector.getDataVector();
    for (int i = vector.getElementStartIndex(row); i < vector.getElementEndIndex(row); i++) {
      map.put(
          get((FieldVector) entries.getChildByOrdinal(0), i, type.keyType()),
          get((FieldVector) entries.getChildByOrdinal(1), i, type.valueType()));
    }
    return map;
  }

  /// The records in a form whose `equals` is that of their values.
  public static List<Object> plain(Iterable<? extends Record> records) {
    List<Object> plain = new ArrayList<>();
    for (Record record : records) {
      plain.add(plain(record));
    }
    return plain;
  }

  public static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Record record) {
      Map<Object, @Nullable Object> fields = new LinkedHashMap<>();
      for (int i = 0; i < record.size(); i++) {
        fields.put(record.struct().fields().get(i).fieldId(), plain(record.get(i)));
      }
      return fields;
    } else if (value instanceof List<?> list) {
      List<@Nullable Object> elements = new ArrayList<>();
      list.forEach(element -> elements.add(plain(element)));
      return elements;
    } else if (value instanceof Map<?, ?> map) {
      Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
      map.forEach((key, element) -> entries.put(plain(key), plain(element)));
      return entries;
    } else if (value instanceof ByteBuffer buffer) {
      return HexFormat.of().formatHex(bytes(buffer));
    } else if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    return value;
  }
}
