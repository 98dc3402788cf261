package io.icewal.read;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.merge.KeyVector;
import io.icewal.parquet.PartitionRouter;
import io.icewal.parquet.PartitionRows;
import io.icewal.table.PartitionKeys;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.util.StructLikeMap;
import org.jspecify.annotations.Nullable;

/// Gives each data file the keys of a tail that it may hold: those of its partition, where the
/// partition follows from the key, within the file's bounds.
///
/// Prepared once, then asked for each file. Used by one thread.
final class KeySlices {
  private final KeyColumns key;
  private final Map<Integer, PartitionSpec> specs;
  private final Map<Integer, StructLikeMap<KeyVector>> bySpec = new HashMap<>();
  private KeyVector all = KeySlice.NONE.keys();

  KeySlices(KeyColumns key, Map<Integer, PartitionSpec> specs) {
    this.key = key;
    this.specs = specs;
  }

  /// Whether partitions tell anything about keys.
  static boolean usePartitions(Map<Integer, PartitionSpec> specs, KeyColumns key) {
    return specs.values().stream().anyMatch(spec -> PartitionKeys.isPrunable(spec, key));
  }

  /// @param keys sorted
  /// @param rows the key columns of the same keys; null where they are not at hand
  void prepare(KeyVector keys, @Nullable VectorSchemaRoot rows) {
    all = keys;
    if (rows == null) {
      return;
    }
    for (PartitionSpec spec : specs.values()) {
      if (PartitionKeys.isPrunable(spec, key)) {
        StructLikeMap<KeyVector> routed = StructLikeMap.create(spec.partitionType());
        for (PartitionRows part : new PartitionRouter(spec, key.keySchema()).route(rows)) {
          routed.put((StructLike) part.partition(), keys.gather(part.rows()));
        }
        bySpec.put(spec.specId(), routed);
      }
    }
  }

  KeySlice of(DataFile file) {
    StructLikeMap<KeyVector> routed = bySpec.get(file.specId());
    KeyVector keys = routed == null ? all : routed.get(file.partition());
    if (keys == null || keys.size() == 0) {
      return KeySlice.NONE;
    }
    KeyRange range = key.range(file);
    int from = range.from(keys);
    int to = range.to(keys);
    return from < to ? new KeySlice(keys, from, to) : KeySlice.NONE;
  }
}
