package io.icewal.merge;

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
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.Schema;

/// Builds Arrow rows of key columns from Java values, one list a row.
final class KeyRows {
  private KeyRows() {}

  static VectorSchemaRoot of(Schema schema, List<List<Object>> rows, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
    for (int column = 0; column < schema.columns().size(); column++) {
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

  private static void set(FieldVector vector, int row, Object value) {
    if (vector instanceof BigIntVector) {
      ((BigIntVector) vector).setSafe(row, (Long) value);
    } else if (vector instanceof IntVector) {
      ((IntVector) vector).setSafe(row, (Integer) value);
    } else if (vector instanceof DateDayVector) {
      ((DateDayVector) vector).setSafe(row, (Integer) value);
    } else if (vector instanceof BitVector) {
      ((BitVector) vector).setSafe(row, (Boolean) value ? 1 : 0);
    } else if (vector instanceof VarCharVector) {
      ((VarCharVector) vector).setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof VarBinaryVector) {
      ((VarBinaryVector) vector).setSafe(row, (byte[]) value);
    } else if (vector instanceof FixedSizeBinaryVector) {
      ((FixedSizeBinaryVector) vector).setSafe(row, (byte[]) value);
    } else if (vector instanceof DecimalVector) {
      ((DecimalVector) vector).setSafe(row, (BigDecimal) value);
    } else {
      StructVector struct = (StructVector) vector;
      struct.setIndexDefined(row);
      set(struct.getChildrenFromFields().get(0), row, ((List<?>) value).get(0));
    }
  }
}
