package io.icewal.trino.write;

import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.jspecify.annotations.Nullable;

/// Refuses a null where the schema allows none. The engine looks at whole columns only, not at
/// fields of structs, elements and values.
final class RequiredFields {
  private RequiredFields() {}

  static void check(FieldVector column) {
    check(column, column.getName(), null);
  }

  /// @param parent tells which values are not there at all; null if all are
  private static void check(FieldVector vector, String name, @Nullable FieldVector parent) {
    boolean required = !vector.getField().isNullable();
    boolean mayFail = required && vector.getNullCount() > 0;
    for (int i = 0; mayFail && i < vector.getValueCount(); i++) {
      if (vector.isNull(i) && (parent == null || !parent.isNull(i))) {
        throw new TrinoException(
            StandardErrorCode.CONSTRAINT_VIOLATION,
            "NULL value not allowed for NOT NULL field: " + name);
      }
    }
    if (vector instanceof StructVector struct) {
      for (FieldVector child : struct.getChildrenFromFields()) {
        check(child, name + "." + child.getName(), vector);
      }
    } else if (vector instanceof ListVector list) {
      check(list.getDataVector(), name + "." + list.getDataVector().getName(), null);
    }
  }
}
