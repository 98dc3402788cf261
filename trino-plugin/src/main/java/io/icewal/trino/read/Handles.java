package io.icewal.trino.read;

import com.google.common.collect.ImmutableMap;
import io.trino.plugin.iceberg.IcebergTableHandle;
import java.util.Map;
import java.util.Optional;

/// Copies of trino-iceberg's table handles.
final class Handles {
  private Handles() {}

  /// The handle with one more property, and without the partitioning of its splits: rows of the
  /// tail come in splits of no partition.
  static IcebergTableHandle marked(IcebergTableHandle handle, String name, String value) {
    Map<String, String> properties =
        ImmutableMap.<String, String>builder()
            .putAll(handle.getStorageProperties())
            .put(name, value)
            .buildOrThrow();
    return new IcebergTableHandle(
        handle.getSchemaName(),
        handle.getTableName(),
        handle.getTableType(),
        handle.getSnapshotId(),
        handle.getTableSchemaJson(),
        handle.getSpecId(),
        handle.getPartitionSpecJsons(),
        handle.getFormatVersion(),
        handle.getUnenforcedPredicate(),
        handle.getEnforcedPredicate(),
        handle.getLimit(),
        handle.getProjectedColumns(),
        handle.getNameMappingJson(),
        handle.getTableLocation(),
        properties,
        Optional.empty(),
        handle.isRecordScannedFiles(),
        handle.getMaxScannedFileSize(),
        handle.getConstraintColumns(),
        handle.getForAnalyze());
  }
}
