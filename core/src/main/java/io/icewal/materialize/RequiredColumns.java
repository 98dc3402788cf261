package io.icewal.materialize;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.List;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;

/// Stops a table whose rows have a null where its schema, changed by another engine meanwhile,
/// wants a value. Such rows would be unreadable in a data file; in the log they stay readable and
/// wait.
final class RequiredColumns {
  private RequiredColumns() {}

  /// @throws IcewalException INVALID, naming table, column and row
  static void check(String table, Schema schema, VectorSchemaRoot rows) {
    for (NestedField column : schema.columns()) {
      FieldVector vector = ArrowSchemas.find(rows.getFieldVectors(), column.fieldId());
      check(table, column.name(), column, vector, rows.getRowCount());
    }
  }

  private static void check(
      String table,
      String path,
      NestedField field,
      @org.jspecify.annotations.Nullable FieldVector vector,
      int rows) {
    if (vector == null || rows == 0) {
      return;
    }
    if (field.isRequired() && BitVectorHelper.getNullCount(vector.getValidityBuffer(), rows) > 0) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "table "
              + table
              + " cannot take its rows: column '"
              + path
              + "' is required now, but a row in the log, written before, has no value for it;"
              + " make the column optional again");
    }
    // A child of an optional struct is null where the struct is: only the always present ones
    // count.
    if (field.isRequired() && vector instanceof StructVector) {
      List<NestedField> children = field.type().asStructType().fields();
      for (NestedField child : children) {
        check(
            table,
            path + "." + child.name(),
            child,
            ArrowSchemas.find(vector.getChildrenFromFields(), child.fieldId()),
            rows);
      }
    }
  }
}
