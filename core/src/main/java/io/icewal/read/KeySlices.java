package io.icewal.read;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.merge.KeyVector;
import io.icewal.table.PartitionKeys;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.jspecify.annotations.Nullable;

/// Gives each data file the keys of a tail that it may hold: those of its partition, as far as the
/// partition follows from the key, within the file's bounds.
///
/// Prepared once, then asked for each file, by any thread.
final class KeySlices {
  private final KeyColumns key;
  private final Map<Integer, PartitionSpec> specs;
  private final Map<int[], KeyVector> ofPartitions = new IdentityHashMap<>();
  private KeyVector all = KeySlice.NONE.keys();
  private @Nullable PartitionKeys partitions;

  KeySlices(KeyColumns key, Map<Integer, PartitionSpec> specs) {
    this.key = key;
    this.specs = specs;
  }

  /// @param keys sorted
  /// @param rows the key columns of the same keys; null where they are not at hand
  void prepare(KeyVector keys, @Nullable VectorSchemaRoot rows) {
    all = keys;
    partitions = new PartitionKeys(specs, key, rows);
  }

  synchronized KeySlice of(DataFile file) {
    int[] selected = partitions == null ? null : partitions.of(file);
    KeyVector keys = selected == null ? all : ofPartitions.computeIfAbsent(selected, all::gather);
    if (keys.size() == 0) {
      return KeySlice.NONE;
    }
    KeyRange range = key.range(file);
    int from = range.from(keys);
    int to = range.to(keys);
    return from < to ? new KeySlice(keys, from, to) : KeySlice.NONE;
  }
}
