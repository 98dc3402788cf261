package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.parquet.PartitionRouter;
import io.icewal.parquet.PartitionRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.util.StructLikeMap;
import org.jspecify.annotations.Nullable;

/// Which keys can lie in which partition, for the specs whose every source column is a part of the
/// key. For other specs each key can lie in each partition.
///
/// Used by one thread; keeps the key rows it was given, which stay the caller's.
public final class PartitionKeys {
  private static final int[] NONE = new int[0];

  private final Map<Integer, PartitionSpec> specs;
  private final KeyColumns columns;
  private final @Nullable VectorSchemaRoot keyRows;
  private final Map<Integer, StructLikeMap<int[]>> bySpec = new HashMap<>();

  /// @param keyRows the rows of the sorted keys, key columns only; null where nothing is known
  public PartitionKeys(
      Map<Integer, PartitionSpec> specs, KeyColumns columns, @Nullable VectorSchemaRoot keyRows) {
    this.specs = specs;
    this.columns = columns;
    this.keyRows = keyRows;
  }

  /// Whether the partitions of a spec follow from the key.
  public static boolean isPrunable(PartitionSpec spec, KeyColumns columns) {
    return spec.isPartitioned()
        && spec.fields().stream()
            .allMatch(
                field ->
                    columns.fieldIds().contains(field.sourceId()) && !field.transform().isVoid());
  }

  /// The keys that can lie in the partition of the file, ascending; null for all.
  int @Nullable [] of(DataFile file) {
    PartitionSpec spec = specs.get(file.specId());
    if (spec == null || keyRows == null || !isPrunable(spec, columns)) {
      return null;
    }
    StructLikeMap<int[]> routed = bySpec.computeIfAbsent(spec.specId(), id -> route(spec, keyRows));
    int[] found = routed.get(file.partition());
    return found == null ? NONE : found;
  }

  private StructLikeMap<int[]> route(PartitionSpec spec, VectorSchemaRoot rows) {
    StructLikeMap<int[]> out = StructLikeMap.create(spec.partitionType());
    for (PartitionRows part : new PartitionRouter(spec, columns.keySchema()).route(rows)) {
      out.put((StructLike) part.partition(), part.rows());
    }
    return out;
  }

  /// The names of the spec's source columns that are not a part of the key.
  static List<String> outsideKey(PartitionSpec spec, KeyColumns columns) {
    return spec.fields().stream()
        .map(PartitionField::sourceId)
        .filter(id -> !columns.fieldIds().contains(id))
        .map(id -> spec.schema().findColumnName(id))
        .distinct()
        .toList();
  }
}
