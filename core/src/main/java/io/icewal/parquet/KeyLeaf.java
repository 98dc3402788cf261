package io.icewal.parquet;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.ArrowSchemas;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/// One leaf of the key schema and the column that stores it in a file.
record KeyLeaf(NestedField field, ColumnDescriptor column) {

  /// The leaves of a schema of primitives and structs, in order; null if the file lacks one or has
  /// it in another form.
  static @Nullable List<KeyLeaf> of(Schema schema, MessageType file) {
    List<KeyLeaf> leaves = new ArrayList<>();
    return add(schema.columns(), file, List.of(), file, leaves) ? leaves : null;
  }

  private static boolean add(
      List<NestedField> fields,
      GroupType group,
      List<String> path,
      MessageType file,
      List<KeyLeaf> leaves) {
    for (NestedField field : fields) {
      Type type = find(group, field.fieldId());
      if (type == null || type.isPrimitive() != field.type().isPrimitiveType()) {
        return false;
      }
      List<String> longer = new ArrayList<>(path);
      longer.add(type.getName());
      if (type.isPrimitive()) {
        if (!NumberMapping.fits(type.asPrimitiveType(), field.type())) {
          return false;
        }
        leaves.add(new KeyLeaf(field, file.getColumnDescription(longer.toArray(String[]::new))));
      } else if (!field.type().isStructType()
          || !add(field.type().asStructType().fields(), type.asGroupType(), longer, file, leaves)) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Type find(GroupType group, int fieldId) {
    for (Type type : group.getFields()) {
      if (type.getId() != null && type.getId().intValue() == fieldId) {
        return type;
      }
    }
    return null;
  }

  /// The leaves of a schema of primitives and structs, in order.
  static List<NestedField> fields(Schema schema) {
    List<NestedField> leaves = new ArrayList<>();
    schema.columns().forEach(field -> addLeaves(field, leaves));
    return leaves;
  }

  private static void addLeaves(NestedField field, List<NestedField> leaves) {
    if (field.type().isStructType()) {
      field.type().asStructType().fields().forEach(child -> addLeaves(child, leaves));
    } else {
      leaves.add(field);
    }
  }

  PrimitiveType stored() {
    return column.getPrimitiveType();
  }

  ValueStore store() {
    return ReadTree.store(stored(), NumberMapping.of(stored(), field.type()));
  }

  /// The keys of rows without nulls.
  ///
  /// @param stores the values of the key schema's leaves, in order
  static KeyVector encode(
      KeyColumns key, List<ValueStore> stores, int rows, BufferAllocator allocator) {
    if (key.isExact() && stores.get(0) instanceof NumberStore numbers) {
      return numbers.keys();
    }
    try (VectorSchemaRoot root = root(key.keySchema(), stores, rows, allocator)) {
      return key.encode(root);
    }
  }

  /// Fills the vectors of a schema's leaves, in order, and the structs around them without nulls.
  private static VectorSchemaRoot root(
      Schema schema, List<ValueStore> stores, int rows, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
    try {
      fill(root.getFieldVectors(), stores, 0, rows);
      root.setRowCount(rows);
      return root;
    } catch (RuntimeException | Error e) {
      root.close();
      throw e;
    }
  }

  private static int fill(List<FieldVector> vectors, List<ValueStore> stores, int at, int rows) {
    int next = at;
    for (FieldVector vector : vectors) {
      if (vector instanceof StructVector struct) {
        struct.setInitialCapacity(Math.max(1, rows));
        struct.allocateNew();
        Validity.set(struct, null, rows);
        next = fill(struct.getChildrenFromFields(), stores, next, rows);
        struct.setValueCount(rows);
      } else {
        stores.get(next++).fill(vector, null, rows);
      }
    }
    return next;
  }
}
