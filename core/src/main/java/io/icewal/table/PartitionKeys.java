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

/// Which keys can lie in which partition, as far as it follows from the key: by the partition
/// fields whose source column is a part of it. Where a spec has none, each key can lie in each
/// partition.
///
/// Made for one set of keys; keeps nothing of their rows. Immutable.
public final class PartitionKeys {
  private static final int[] NONE = new int[0];

  private final Map<Integer, Routed> bySpec = new HashMap<>();

  private record Routed(PartitionRouter router, StructLikeMap<int[]> keys) {}

  /// @param keyRows the rows of the sorted keys, key columns only; null where nothing is known
  public PartitionKeys(
      Map<Integer, PartitionSpec> specs, KeyColumns columns, @Nullable VectorSchemaRoot keyRows) {
    if (keyRows == null) {
      return;
    }
    for (PartitionSpec spec : specs.values()) {
      if (isPrunable(spec, columns)) {
        bySpec.put(spec.specId(), route(spec, columns, keyRows));
      }
    }
  }

  private static Routed route(PartitionSpec spec, KeyColumns columns, VectorSchemaRoot rows) {
    PartitionRouter router = PartitionRouter.ofKeys(spec, columns.keySchema());
    StructLikeMap<int[]> keys = StructLikeMap.create(router.partitionType());
    for (PartitionRows part : router.route(rows)) {
      keys.put((StructLike) part.partition(), part.rows());
    }
    return new Routed(router, keys);
  }

  /// Whether partitions tell anything about keys.
  public static boolean arePrunable(Map<Integer, PartitionSpec> specs, KeyColumns columns) {
    return specs.values().stream().anyMatch(spec -> isPrunable(spec, columns));
  }

  /// Whether a part of a spec's partitions follows from the key.
  static boolean isPrunable(PartitionSpec spec, KeyColumns columns) {
    return spec.fields().stream()
        .anyMatch(
            field -> columns.fieldIds().contains(field.sourceId()) && !field.transform().isVoid());
  }

  /// The keys that can lie in the partition of the file, ascending, the same array for all files of
  /// the same keys; null for all.
  public int @Nullable [] of(DataFile file) {
    Routed routed = bySpec.get(file.specId());
    if (routed == null) {
      return null;
    }
    int[] found = routed.keys.get(routed.router.project(file.partition()));
    return found == null ? NONE : found;
  }

  /// The names of the spec's source columns that are not a part of the key.
  static List<String> outsideKey(PartitionSpec spec, KeyColumns columns) {
    return sources(spec, columns, false);
  }

  /// The names of the spec's source columns that are a part of the key.
  static List<String> withinKey(PartitionSpec spec, KeyColumns columns) {
    return sources(spec, columns, true);
  }

  private static List<String> sources(PartitionSpec spec, KeyColumns columns, boolean within) {
    return spec.fields().stream()
        .filter(field -> !field.transform().isVoid())
        .map(PartitionField::sourceId)
        .filter(id -> columns.fieldIds().contains(id) == within)
        .map(id -> spec.schema().findColumnName(id))
        .distinct()
        .toList();
  }
}
