package io.icewal.model;

import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/// Rows in canonical Arrow form ([ArrowSchemas]) and what they mean. Columns are found by the field
/// id in their Arrow field's metadata; a column that was not sent is not there.
///
/// Owns its buffers: whoever holds the batch last closes it. Not thread-safe.
public final class RowBatch implements AutoCloseable {
  private final BlockKind kind;
  private final VectorSchemaRoot rows;
  private final @Nullable TinyIntVector ops;

  /// @param kind UPSERT, DELETE or MIXED
  /// @param rows the columns; for DELETE the key columns only
  /// @param ops one [RowOp] value a row, without nulls, for MIXED; else null
  public RowBatch(BlockKind kind, VectorSchemaRoot rows, @Nullable TinyIntVector ops) {
    if ((kind == BlockKind.MIXED) != (ops != null)) {
      throw new IllegalArgumentException(
          "a batch has an op column if and only if it is MIXED, got " + kind);
    }
    this.kind = kind;
    this.rows = rows;
    this.ops = ops;
  }

  public BlockKind kind() {
    return kind;
  }

  /// The columns, without `_op`.
  public VectorSchemaRoot rows() {
    return rows;
  }

  public @Nullable TinyIntVector ops() {
    return ops;
  }

  public int rowCount() {
    return rows.getRowCount();
  }

  @Override
  public void close() {
    rows.close();
    if (ops != null) {
      ops.close();
    }
  }
}
