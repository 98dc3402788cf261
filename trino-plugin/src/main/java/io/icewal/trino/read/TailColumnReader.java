package io.icewal.trino.read;

import io.icewal.model.ArrowSchemas;
import io.icewal.trino.arrow.ArrowBlocks;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.spi.block.Block;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Columns of rows of the tail, found by field id: whole ones, fields within structs, and those
/// that only rows of files have, which are null.
final class TailColumnReader {
  private TailColumnReader() {}

  /// The top-level columns that hold the given ones.
  static Schema columns(Schema schema, Collection<IcebergColumnHandle> wanted) {
    Set<Integer> ids = new LinkedHashSet<>();
    wanted.forEach(column -> ids.add(column.getBaseColumnIdentity().getId()));
    List<NestedField> columns = new ArrayList<>();
    for (NestedField column : schema.columns()) {
      if (ids.contains(column.fieldId())) {
        columns.add(column);
      }
    }
    return new Schema(columns);
  }

  static Block read(VectorSchemaRoot rows, IcebergColumnHandle column) {
    int count = rows.getRowCount();
    @Nullable FieldVector vector =
        ArrowSchemas.find(rows.getFieldVectors(), column.getBaseColumnIdentity().getId());
    if (vector == null) {
      return RunLengthEncodedBlock.create(column.getType(), null, count);
    }
    BitSet nulls = new BitSet();
    for (int id : column.getPath()) {
      addNulls(vector, nulls);
      vector = child((StructVector) vector, id);
    }
    Block block = ArrowBlocks.of(vector, column.getType());
    return nulls.isEmpty() ? block : withNulls(block, nulls);
  }

  private static void addNulls(FieldVector vector, BitSet nulls) {
    for (int i = 0; vector.getNullCount() > 0 && i < vector.getValueCount(); i++) {
      if (vector.isNull(i)) {
        nulls.set(i);
      }
    }
  }

  private static FieldVector child(StructVector struct, int id) {
    FieldVector child = ArrowSchemas.find(struct.getChildrenFromFields(), id);
    if (child == null) {
      throw new IllegalStateException("no field " + id + " in " + struct.getField());
    }
    return child;
  }

  /// A field of a struct that is null is null, whatever lies there.
  private static Block withNulls(Block block, BitSet nulls) {
    int count = block.getPositionCount();
    int[] ids = new int[count];
    for (int i = 0; i < count; i++) {
      ids[i] = nulls.get(i) ? count : i;
    }
    return DictionaryBlock.create(
        count, block.getUnderlyingValueBlock().copyWithAppendedNull(), ids);
  }
}
