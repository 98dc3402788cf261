package io.icewal.trino.read;

import com.google.common.collect.ImmutableMap;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.IcebergTablePartitioning;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.predicate.TupleDomain;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

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
    return copy(
        handle,
        handle.getSnapshotId(),
        properties,
        Optional.empty(),
        handle.getUnenforcedPredicate());
  }

  /// The handle without conditions on some columns, of those that the engine looks at again.
  static IcebergTableHandle without(IcebergTableHandle handle, Set<Integer> columns) {
    return copy(
        handle,
        handle.getSnapshotId(),
        handle.getStorageProperties(),
        handle.getTablePartitioning(),
        handle
            .getUnenforcedPredicate()
            .filter((column, values) -> !columns.contains(column.getId())));
  }

  /// The handle, planned in one version of a table, in a later version of the same definition.
  ///
  /// @throws TrinoException TRANSACTION_CONFLICT if the table's definition is another
  static IcebergTableHandle in(IcebergTableHandle version, IcebergTableHandle planned) {
    boolean same =
        version.getTableSchemaJson().equals(planned.getTableSchemaJson())
            && version.getSpecId().equals(planned.getSpecId())
            && version.getPartitionSpecJsons().equals(planned.getPartitionSpecJsons())
            && version.getNameMappingJson().equals(planned.getNameMappingJson());
    if (!same) {
      throw new TrinoException(
          StandardErrorCode.TRANSACTION_CONFLICT,
          "table "
              + planned.getSchemaTableName()
              + " was altered while the statement was being planned: run it again");
    }
    return copy(
        planned,
        version.getSnapshotId(),
        planned.getStorageProperties(),
        planned.getTablePartitioning(),
        planned.getUnenforcedPredicate());
  }

  private static IcebergTableHandle copy(
      IcebergTableHandle handle,
      OptionalLong snapshotId,
      Map<String, String> properties,
      Optional<IcebergTablePartitioning> partitioning,
      TupleDomain<IcebergColumnHandle> unenforced) {
    return new IcebergTableHandle(
        handle.getSchemaName(),
        handle.getTableName(),
        handle.getTableType(),
        snapshotId,
        handle.getTableSchemaJson(),
        handle.getSpecId(),
        handle.getPartitionSpecJsons(),
        handle.getFormatVersion(),
        unenforced,
        handle.getEnforcedPredicate(),
        handle.getLimit(),
        handle.getProjectedColumns(),
        handle.getNameMappingJson(),
        handle.getTableLocation(),
        properties,
        partitioning,
        handle.isRecordScannedFiles(),
        handle.getMaxScannedFileSize(),
        handle.getConstraintColumns(),
        handle.getForAnalyze());
  }
}
