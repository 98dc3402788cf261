package io.icewal.expression;

import io.icewal.model.ArrowSchemas;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.types.Type;

/// A column, or a field within structs, that a condition reads.
///
/// @param name its dotted name, as Iceberg knows it
/// @param path field ids from the top-level column down to the field
/// @param type its type
/// @param optional whether it may be null by the schema
record Column(String name, List<Integer> path, Type type, boolean optional) {
  int fieldId() {
    return path.get(path.size() - 1);
  }

  /// Whether Iceberg's null counts say enough of it to rule files out: a field within structs is
  /// null with them, and a required column may hold nulls of the time when it was optional; Iceberg
  /// rules both out by the schema. Of a column that is no plain value it has no counts.
  boolean mayPruneNulls() {
    return path.size() == 1 && optional && type.isPrimitiveType();
  }

  /// The vectors along the path in a batch, the field's own last.
  Bound bind(VectorSchemaRoot rows) {
    FieldVector[] chain = new FieldVector[path.size()];
    List<FieldVector> level = rows.getFieldVectors();
    for (int i = 0; i < chain.length; i++) {
      FieldVector vector = ArrowSchemas.find(level, path.get(i));
      if (vector == null) {
        throw new IllegalArgumentException(
            "rows without column '" + name + "', field id " + path.get(i));
      }
      chain[i] = vector;
      level =
          vector instanceof StructVector struct && i + 1 < chain.length
              ? struct.getChildrenFromFields()
              : List.of();
    }
    return new Bound(chain);
  }

  /// A column in one batch.
  record Bound(FieldVector[] chain) {
    FieldVector vector() {
      return chain[chain.length - 1];
    }

    /// A field is null where any struct around it is.
    boolean isNull(int row) {
      for (FieldVector vector : chain) {
        if (vector.isNull(row)) {
          return true;
        }
      }
      return false;
    }

    boolean hasNulls() {
      for (FieldVector vector : chain) {
        if (vector.getNullCount() > 0) {
          return true;
        }
      }
      return false;
    }
  }
}
