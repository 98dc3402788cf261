package io.icewal.trino.read;

import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.plugin.iceberg.PartitionData;
import io.trino.spi.type.TypeManager;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;

/// The data file that a split is a part of, as far as the split tells.
final class DataFileOfSplit {
  private DataFileOfSplit() {}

  static DataFile of(IcebergSplit split, PartitionSpec spec, Schema schema, TypeManager types) {
    DataFiles.Builder builder =
        DataFiles.builder(spec)
            .withPath(split.path())
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(split.fileSize())
            .withRecordCount(split.fileRecordCount());
    if (spec.isPartitioned()) {
      Type[] partitionTypes =
          spec.fields().stream()
              .map(field -> field.transform().getResultType(schema.findType(field.sourceId())))
              .toArray(Type[]::new);
      builder.withPartition(
          PartitionData.fromBlocks(split.partitionValues(), partitionTypes, types));
    }
    split.fileFirstRowId().ifPresent(builder::withFirstRowId);
    return builder.build();
  }
}
