package io.icewal.parquet;

import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Column-wise work on canonical Arrow rows: gather, concatenate, promote, fill.
///
/// No method closes or changes what it is given, except [#take]; what a method returns belongs to
/// the caller.
public final class ArrowRows {
  private ArrowRows() {}

  /// The given rows in the given order.
  public static VectorSchemaRoot gather(VectorSchemaRoot rows, int[] index, BufferAllocator a) {
    return gather(List.of(rows), new int[index.length], index, 0, index.length, a);
  }

  /// Row `i` of the result is row `index[from + i]` of `sources[source[from + i]]`. All sources
  /// have the same columns in the same order.
  public static VectorSchemaRoot gather(
      List<VectorSchemaRoot> sources,
      int[] source,
      int[] index,
      int from,
      int to,
      BufferAllocator a) {
    throw new UnsupportedOperationException();
  }

  /// All rows of all sources, in order. They have the same columns in the same order.
  public static VectorSchemaRoot concat(List<VectorSchemaRoot> sources, BufferAllocator a) {
    throw new UnsupportedOperationException();
  }

  /// Rows `from` to `to` (exclusive); buffers are shared where Arrow can.
  public static VectorSchemaRoot slice(VectorSchemaRoot rows, int from, int to, BufferAllocator a) {
    throw new UnsupportedOperationException();
  }

  /// Moves the columns out of `rows`, which is left empty, into a new root.
  public static VectorSchemaRoot take(VectorSchemaRoot rows, BufferAllocator a) {
    throw new UnsupportedOperationException();
  }

  /// The rows in the form of `target`: columns and nested fields by field id, values of older types
  /// promoted, what `target` does not have left out. A field that is not there is null if its id is
  /// at most `lastColumnId` (it was there to be sent, and was not), else its initial default (it
  /// was added to the table later).
  ///
  /// @param lastColumnId the table's last column id when the rows were written
  public static VectorSchemaRoot promote(
      VectorSchemaRoot rows, int lastColumnId, Schema target, BufferAllocator a) {
    throw new UnsupportedOperationException();
  }

  /// A column of the given value, which is in Iceberg's internal form, in every row; null for a
  /// column of nulls.
  public static FieldVector constant(
      NestedField field, @Nullable Object value, int rows, BufferAllocator a) {
    throw new UnsupportedOperationException();
  }
}
