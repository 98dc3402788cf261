package io.icewal.parquet;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.jspecify.annotations.Nullable;

/// A finished Parquet file: what Iceberg wants to know of it.
public record WrittenFile(
    String location, long fileBytes, long rows, Metrics metrics, List<Long> splitOffsets) {

  /// The Iceberg data file.
  ///
  /// @param partition null for an unpartitioned spec
  public DataFile toDataFile(PartitionSpec spec, @Nullable StructLike partition) {
    DataFiles.Builder builder =
        DataFiles.builder(spec)
            .withPath(location)
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(fileBytes)
            .withMetrics(metrics)
            .withSplitOffsets(splitOffsets);
    if (partition != null) {
      builder.withPartition(partition);
    }
    return builder.build();
  }
}
