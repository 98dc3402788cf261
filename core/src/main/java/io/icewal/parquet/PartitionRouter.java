package io.icewal.parquet;

import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;

/// Finds the partition of each row, for every transform of Iceberg, column by column.
///
/// Immutable; thread-safe. The memory of a call is bounded by the rows of its batch, whatever the
/// number of partitions.
public final class PartitionRouter {
  /// @param schema the schema that the spec's source ids refer to
  public PartitionRouter(PartitionSpec spec, Schema schema) {
    throw new UnsupportedOperationException();
  }

  /// The rows by partition, partitions in the order of their first row. All rows are in one group
  /// if the spec is unpartitioned.
  public List<PartitionRows> route(VectorSchemaRoot rows) {
    throw new UnsupportedOperationException();
  }
}
