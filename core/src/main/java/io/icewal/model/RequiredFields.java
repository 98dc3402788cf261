package io.icewal.model;

import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.jspecify.annotations.Nullable;

/// Refuses a null where the schema allows none. Engines look at whole columns only, not at fields
/// of structs, elements and values.
public final class RequiredFields {
  private final List<Integer> key;

  /// @param key ids of the key's fields
  public RequiredFields(List<Integer> key) {
    this.key = key;
  }

  /// Looks through a column.
  ///
  /// @throws BadValue for a null that is not allowed
  public void check(FieldVector column) {
    check(column, column.getName(), null);
  }

  /// @param parent tells which values are not there at all; null if all are
  private void check(FieldVector vector, String path, @Nullable FieldVector parent) {
    boolean required = !vector.getField().isNullable();
    boolean mayFail = required && vector.getNullCount() > 0;
    for (int i = 0; mayFail && i < vector.getValueCount(); i++) {
      if (vector.isNull(i) && (parent == null || !parent.isNull(i))) {
        throw bad(vector, path);
      }
    }
    if (vector instanceof MapVector map) {
      checkChildren((StructVector) map.getDataVector(), path);
    } else if (vector instanceof StructVector struct) {
      checkChildren(struct, path);
    } else if (vector instanceof ListVector list) {
      check(list.getDataVector(), path + ".element", null);
    }
  }

  private void checkChildren(StructVector parent, String path) {
    for (FieldVector child : parent.getChildrenFromFields()) {
      check(child, path + "." + child.getName(), parent);
    }
  }

  private BadValue bad(FieldVector vector, String path) {
    return key.contains(ArrowSchemas.fieldId(vector.getField()))
        ? new BadValue(Rule.KEY_NOT_NULL, path, Rule.keyNotNullMessage(path))
        : new BadValue(Rule.NOT_NULL, path, Rule.notNullMessage(path));
  }
}
