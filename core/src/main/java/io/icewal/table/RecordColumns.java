package io.icewal.table;

import io.icewal.model.ArrowSchemas;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
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
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Writes Iceberg records, value by value, into canonical Arrow columns: the way in for files that
/// only Iceberg's own readers can read.
public final class RecordColumns {
  private final Schema target;
  private final int[] positions;

  /// @param recordSchema the form of the records; has each column of the target, in the same form
  public RecordColumns(Schema recordSchema, Schema target) {
    this.target = target;
    List<Integer> ids = recordSchema.columns().stream().map(NestedField::fieldId).toList();
    this.positions =
        target.columns().stream().mapToInt(column -> ids.indexOf(column.fieldId())).toArray();
  }

  /// @return the caller's rows
  public VectorSchemaRoot write(List<Record> records, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(target), allocator);
    try {
      for (int column = 0; column < positions.length; column++) {
        FieldVector vector = root.getVector(column);
        vector.setInitialCapacity(records.size());
        vector.allocateNew();
        for (int row = 0; row < records.size(); row++) {
          write(vector, row, records.get(row).get(positions[column]));
        }
      }
      root.setRowCount(records.size());
      return root;
    } catch (RuntimeException | Error e) {
      root.close();
      throw e;
    }
  }

  private static void write(FieldVector vector, int row, @Nullable Object value) {
    if (vector instanceof NullVector) {
      return;
    }
    if (value == null) {
      setNull(vector, row);
    } else if (vector instanceof StructVector struct) {
      writeStruct(struct, row, (StructLike) value);
    } else if (vector instanceof ListVector list) {
      writeList(list, row, value);
    } else {
      writeValue(vector, row, value);
    }
  }

  private static void setNull(FieldVector vector, int row) {
    while (row >= vector.getValueCapacity()) {
      vector.reAlloc();
    }
    if (vector instanceof StructVector struct) {
      struct.getChildrenFromFields().forEach(child -> write(child, row, null));
    }
    vector.setNull(row);
  }

  private static void writeStruct(StructVector struct, int row, StructLike value) {
    List<FieldVector> children = struct.getChildrenFromFields();
    for (int i = 0; i < children.size(); i++) {
      write(children.get(i), row, value.get(i, Object.class));
    }
    struct.setIndexDefined(row);
  }

  /// Lists, and maps, whose entries are structs of key and value.
  private static void writeList(ListVector list, int row, Object value) {
    List<Object[]> entries = new ArrayList<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, item) -> entries.add(new Object[] {key, item}));
    } else {
      ((List<?>) value).forEach(item -> entries.add(new Object[] {item}));
    }
    int start = list.startNewValue(row);
    FieldVector data = list.getDataVector();
    for (int i = 0; i < entries.size(); i++) {
      Object[] entry = entries.get(i);
      if (data instanceof StructVector struct && value instanceof Map) {
        write(struct.getChildrenFromFields().get(0), start + i, entry[0]);
        write(struct.getChildrenFromFields().get(1), start + i, entry[1]);
        struct.setIndexDefined(start + i);
      } else {
        write(data, start + i, entry[0]);
      }
    }
    list.endValue(row, entries.size());
  }

  private static void writeValue(FieldVector vector, int row, Object value) {
    if (vector instanceof BitVector bits) {
      bits.setSafe(row, (boolean) value ? 1 : 0);
    } else if (vector instanceof IntVector ints) {
      ints.setSafe(row, (int) value);
    } else if (vector instanceof BigIntVector longs) {
      longs.setSafe(row, (long) value);
    } else if (vector instanceof Float4Vector floats) {
      floats.setSafe(row, (float) value);
    } else if (vector instanceof Float8Vector doubles) {
      doubles.setSafe(row, (double) value);
    } else if (vector instanceof DecimalVector decimals) {
      decimals.setSafe(row, (BigDecimal) value);
    } else if (vector instanceof DateDayVector days) {
      days.setSafe(row, (int) ((LocalDate) value).toEpochDay());
    } else if (vector instanceof TimeMicroVector times) {
      times.setSafe(row, ((LocalTime) value).toNanoOfDay() / 1000);
    } else if (vector instanceof TimeStampVector stamps) {
      stamps.setSafe(row, timestamp(stamps, value));
    } else if (vector instanceof VarCharVector texts) {
      texts.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof VarBinaryVector binaries) {
      binaries.setSafe(row, bytes(value));
    } else if (vector instanceof FixedSizeBinaryVector fixed) {
      fixed.setSafe(row, bytes(value));
    } else {
      throw new IllegalStateException("no way to write " + vector.getField());
    }
  }

  private static long timestamp(TimeStampVector vector, Object value) {
    LocalDateTime local =
        value instanceof OffsetDateTime zoned
            ? zoned.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime()
            : (LocalDateTime) value;
    TimeUnit unit = ((ArrowType.Timestamp) vector.getField().getType()).getUnit();
    ChronoUnit wanted = unit == TimeUnit.NANOSECOND ? ChronoUnit.NANOS : ChronoUnit.MICROS;
    return wanted.between(LocalDateTime.of(1970, 1, 1, 0, 0), local);
  }

  private static byte[] bytes(Object value) {
    if (value instanceof UUID uuid) {
      return ByteBuffer.allocate(16)
          .putLong(uuid.getMostSignificantBits())
          .putLong(uuid.getLeastSignificantBits())
          .array();
    }
    if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return bytes;
    }
    return (byte[]) value;
  }
}
