package io.icewal.trino.read;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.trino.arrow.BlockVectors;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergUtil;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.TypeManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;

/// The key of rows in pages that have the key's top-level columns. Immutable.
final class KeyedPages {
  private final KeyColumns key;
  private final List<NestedField> fields;
  private final List<IcebergColumnHandle> columns;
  private final int[] channels;

  private KeyedPages(
      KeyColumns key, List<NestedField> fields, List<IcebergColumnHandle> columns, int[] channels) {
    this.key = key;
    this.fields = fields;
    this.columns = columns;
    this.channels = channels;
  }

  /// @param source gets the columns of the key that it does not have
  static KeyedPages of(Schema schema, KeyColumns key, TypeManager types, SourceColumns source) {
    Set<Integer> ids =
        key.keySchema().columns().stream().map(NestedField::fieldId).collect(Collectors.toSet());
    List<NestedField> fields =
        schema.columns().stream().filter(field -> ids.contains(field.fieldId())).toList();
    List<IcebergColumnHandle> columns =
        fields.stream().map(field -> IcebergUtil.getColumnHandle(field, types)).toList();
    return new KeyedPages(key, fields, columns, source.channels(columns));
  }

  KeyVector keys(SourcePage page, BufferAllocator allocator) {
    List<FieldVector> vectors = new ArrayList<>();
    try {
      for (int i = 0; i < fields.size(); i++) {
        vectors.add(
            BlockVectors.of(
                page.getBlock(channels[i]), columns.get(i).getType(), fields.get(i), allocator));
      }
      return key.encode(
          new VectorSchemaRoot(
              vectors.stream().map(FieldVector::getField).toList(),
              vectors,
              page.getPositionCount()));
    } finally {
      vectors.forEach(FieldVector::close);
    }
  }
}
