package io.icewal.materialize;

import io.icewal.model.ArrowSchemas;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// Canonical Arrow rows from Java values, in the order of the schema's columns.
final class TestRows {
  private TestRows() {}

  static VectorSchemaRoot of(
      Schema columns, List<? extends List<?>> rows, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(columns), allocator);
    for (int column = 0; column < columns.columns().size(); column++) {
      FieldVector vector = root.getVector(column);
      vector.allocateNew();
      for (int row = 0; row < rows.size(); row++) {
        set(vector, row, rows.get(row).get(column));
      }
      vector.setValueCount(rows.size());
    }
    root.setRowCount(rows.size());
    return root;
  }

  private static void set(FieldVector vector, int row, @Nullable Object value) {
    if (value == null) {
      vector.setNull(row);
    } else if (vector instanceof VarCharVector strings) {
      strings.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof VarBinaryVector bytes) {
      bytes.setSafe(row, (byte[]) value);
    } else if (vector instanceof FixedSizeBinaryVector fixed) {
      fixed.setSafe(row, (byte[]) value);
    } else if (vector instanceof DecimalVector decimals) {
      decimals.setSafe(row, (BigDecimal) value);
    } else if (vector instanceof StructVector struct) {
      struct.setIndexDefined(row);
      for (int i = 0; i < struct.size(); i++) {
        set(struct.getChildrenFromFields().get(i), row, ((List<?>) value).get(i));
      }
    } else if (vector instanceof ListVector list) {
      List<?> elements = (List<?>) value;
      int start = list.startNewValue(row);
      for (int i = 0; i < elements.size(); i++) {
        set(list.getDataVector(), start + i, elements.get(i));
      }
      list.endValue(row, elements.size());
    } else {
      setNumber(vector, row, value);
    }
  }

  private static void setNumber(FieldVector vector, int row, Object value) {
    if (vector instanceof BigIntVector longs) {
      longs.setSafe(row, ((Number) value).longValue());
    } else if (vector instanceof IntVector ints) {
      ints.setSafe(row, ((Number) value).intValue());
    } else if (vector instanceof DateDayVector days) {
      days.setSafe(row, ((Number) value).intValue());
    } else if (vector instanceof TimeStampVector instants) {
      instants.setSafe(row, ((Number) value).longValue());
    } else if (vector instanceof Float4Vector floats) {
      floats.setSafe(row, ((Number) value).floatValue());
    } else if (vector instanceof Float8Vector doubles) {
      doubles.setSafe(row, ((Number) value).doubleValue());
    } else if (vector instanceof BitVector bits) {
      bits.setSafe(row, (Boolean) value ? 1 : 0);
    } else {
      throw new IllegalArgumentException("no way to fill " + vector.getField());
    }
  }
}
