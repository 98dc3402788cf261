package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
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
    List<FieldVector> columns = new ArrayList<>();
    org.apache.arrow.vector.types.pojo.Schema schema = sources.get(0).getSchema();
    VectorGather gather = new VectorGather(sources.size() == 1 ? null : source, index, from, to);
    try {
      for (int c = 0; c < sources.get(0).getFieldVectors().size(); c++) {
        int column = c;
        List<FieldVector> vectors = sources.stream().map(s -> s.getVector(column)).toList();
        FieldVector target = schema.getFields().get(c).createVector(a);
        columns.add(target);
        gather.into(target, vectors);
      }
      return new VectorSchemaRoot(schema.getFields(), columns, to - from);
    } catch (RuntimeException | Error e) {
      columns.forEach(FieldVector::close);
      throw e;
    }
  }

  /// All rows of all sources, in order. They have the same columns in the same order.
  public static VectorSchemaRoot concat(List<VectorSchemaRoot> sources, BufferAllocator a) {
    int rows = sources.stream().mapToInt(VectorSchemaRoot::getRowCount).reduce(0, Math::addExact);
    int[] source = new int[rows];
    int[] index = new int[rows];
    int row = 0;
    for (int s = 0; s < sources.size(); s++) {
      for (int i = 0; i < sources.get(s).getRowCount(); i++) {
        source[row] = s;
        index[row++] = i;
      }
    }
    return gather(sources, source, index, 0, rows, a);
  }

  /// Rows `from` to `to` (exclusive); buffers are shared where Arrow can.
  public static VectorSchemaRoot slice(VectorSchemaRoot rows, int from, int to, BufferAllocator a) {
    List<FieldVector> columns = new ArrayList<>();
    for (int c = 0; c < rows.getFieldVectors().size(); c++) {
      FieldVector target = rows.getSchema().getFields().get(c).createVector(a);
      rows.getVector(c).makeTransferPair(target).splitAndTransfer(from, to - from);
      columns.add(target);
    }
    return new VectorSchemaRoot(rows.getSchema().getFields(), columns, to - from);
  }

  /// Moves the columns out of `rows`, which is left empty, into a new root.
  public static VectorSchemaRoot take(VectorSchemaRoot rows, BufferAllocator a) {
    List<FieldVector> columns = new ArrayList<>();
    for (int c = 0; c < rows.getFieldVectors().size(); c++) {
      FieldVector target = rows.getSchema().getFields().get(c).createVector(a);
      rows.getVector(c).makeTransferPair(target).transfer();
      columns.add(target);
    }
    int count = rows.getRowCount();
    rows.setRowCount(0);
    return new VectorSchemaRoot(rows.getSchema().getFields(), columns, count);
  }

  /// The rows in the form of `target`: columns and nested fields by field id, values of older types
  /// promoted, what `target` does not have left out. A field that is not there is null if its id is
  /// at most `lastColumnId` (it was there to be sent, and was not), else its initial default (it
  /// was added to the table later).
  ///
  /// @param written the types of the rows when they were written
  /// @param lastColumnId the table's last column id at that time
  /// @throws IcewalException INVALID for a type that is no older one of the target's
  public static VectorSchemaRoot promote(
      VectorSchemaRoot rows, Schema written, int lastColumnId, Schema target, BufferAllocator a) {
    VectorPromotion promotion = new VectorPromotion(written, lastColumnId, a);
    List<FieldVector> columns = new ArrayList<>();
    try {
      for (NestedField field : target.columns()) {
        FieldVector vector = ArrowSchemas.find(rows.getFieldVectors(), field.fieldId());
        columns.add(promotion.promote(vector, field, rows.getRowCount()));
      }
      List<Field> fields = ArrowSchemas.toArrow(target).getFields();
      return new VectorSchemaRoot(fields, columns, rows.getRowCount());
    } catch (RuntimeException | Error e) {
      columns.forEach(FieldVector::close);
      throw e;
    }
  }

  /// A column of the given value, which is in Iceberg's internal form, in every row; null for a
  /// column of nulls.
  public static FieldVector constant(
      NestedField field, @Nullable Object value, int rows, BufferAllocator a) {
    return ConstantVectors.of(field, value, rows, a);
  }
}
