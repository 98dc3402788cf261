package io.icewal.read;

import io.icewal.expression.Condition;
import io.icewal.model.ArrowSchemas;
import io.icewal.parquet.ArrowRows;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Makes result rows of source rows: dead rows out, condition, columns of the result.
///
/// @param condition null for all rows
record RowFilter(ScanColumns columns, @Nullable Condition condition) {
  /// Promotion with this last column id takes every absent field for null; there is none.
  private static final int NOTHING_ABSENT = Integer.MAX_VALUE;

  /// @param max at most so many rows, from 1
  /// @return the caller's rows; null if there are none
  @Nullable VectorSchemaRoot apply(RowSource.Batch batch, long max, BufferAllocator allocator) {
    int count = batch.rows().getRowCount();
    BitSet chosen = null;
    if (condition != null) {
      chosen = condition.test(batch.rows());
      if (batch.dead() != null) {
        chosen.andNot(batch.dead());
      }
    } else if (batch.dead() != null) {
      chosen = (BitSet) batch.dead().clone();
      chosen.flip(0, count);
    }
    int rows = (int) Math.min(max, chosen == null ? count : chosen.cardinality());
    if (rows == 0) {
      return null;
    }
    VectorSchemaRoot view = view(batch.rows());
    if (view.getFieldVectors().isEmpty()) {
      return new VectorSchemaRoot(List.of(), List.of(), rows);
    }
    return shaped(pick(view, chosen, rows, allocator), allocator);
  }

  /// The columns of the result, as they were read: shares the vectors, is not to be closed.
  private VectorSchemaRoot view(VectorSchemaRoot rows) {
    List<FieldVector> vectors = new ArrayList<>();
    for (NestedField column : columns.projection().columns()) {
      FieldVector vector = ArrowSchemas.find(rows.getFieldVectors(), column.fieldId());
      if (vector == null) {
        throw new IllegalStateException("column '" + column.name() + "' was not read");
      }
      vectors.add(vector);
    }
    return new VectorSchemaRoot(
        vectors.stream().map(FieldVector::getField).toList(), vectors, rows.getRowCount());
  }

  private static VectorSchemaRoot pick(
      VectorSchemaRoot view, @Nullable BitSet chosen, int rows, BufferAllocator allocator) {
    if (rows == view.getRowCount()) {
      return ArrowRows.take(view, allocator);
    }
    if (chosen == null) {
      return ArrowRows.slice(view, 0, rows, allocator);
    }
    return ArrowRows.gather(view, chosen.stream().limit(rows).toArray(), allocator);
  }

  /// Leaves out fields of structs that only the condition needed.
  private VectorSchemaRoot shaped(VectorSchemaRoot rows, BufferAllocator allocator) {
    if (columns.isPlain()) {
      return rows;
    }
    try (rows) {
      return ArrowRows.promote(
          rows, columns.read(), NOTHING_ABSENT, columns.projection(), allocator);
    }
  }
}
