package io.icewal.spark.read;

import io.icewal.model.ArrowSchemas;
import io.icewal.read.TailPiece;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/// Rows of the tail, batch by batch, as columns. Used by one thread; owns its buffers.
final class TailBatches implements PartitionReader<ColumnarBatch> {
  private final TailPiece.Rows rows;
  private final Schema schema;
  private final StructField[] wanted;
  private final BufferAllocator allocator;
  private @Nullable ColumnarBatch batch;

  /// @param rows closed with this
  /// @param schema of the table
  /// @param readSchema the wanted columns, those of the table and those about rows
  /// @param allocator that the rows are read with, for nothing else; closed with this
  TailBatches(
      TailPiece.Rows rows, Schema schema, StructType readSchema, BufferAllocator allocator) {
    this.rows = rows;
    this.schema = schema;
    this.wanted = readSchema.fields();
    this.allocator = allocator;
  }

  @Override
  public boolean next() {
    VectorSchemaRoot next = rows.next();
    while (next != null && next.getRowCount() == 0) {
      next = rows.next();
    }
    batch = next == null ? null : batch(next);
    return next != null;
  }

  private ColumnarBatch batch(VectorSchemaRoot root) {
    int count = root.getRowCount();
    ColumnVector[] columns = new ColumnVector[wanted.length];
    for (int i = 0; i < columns.length; i++) {
      columns[i] =
          MetadataColumns.isMetadataColumn(wanted[i].name())
              ? constant(wanted[i], count)
              : column(wanted[i], root);
    }
    return new ColumnarBatch(columns, count);
  }

  private ColumnVector column(StructField wantedColumn, VectorSchemaRoot root) {
    NestedField column = schema.findField(wantedColumn.name());
    FieldVector vector = ArrowSchemas.find(root.getFieldVectors(), column.fieldId());
    if (vector == null) {
      throw new IllegalStateException("column " + column + " was not read");
    }
    return TailColumn.of(vector, column.type(), wantedColumn.dataType());
  }

  /// The row is in no file, has no number and no id, and is not deleted.
  private static ColumnVector constant(StructField column, int count) {
    ConstantColumnVector vector = new ConstantColumnVector(count, column.dataType());
    if (column.name().equals(MetadataColumns.IS_DELETED.name())) {
      vector.setBoolean(false);
      vector.setNotNull();
    } else {
      vector.setNull();
    }
    return vector;
  }

  @Override
  public ColumnarBatch get() {
    if (batch == null) {
      throw new IllegalStateException("no batch");
    }
    return batch;
  }

  @Override
  public void close() {
    batch = null;
    rows.close();
    allocator.close();
  }
}
