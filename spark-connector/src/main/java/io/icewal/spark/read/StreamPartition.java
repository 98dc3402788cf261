package io.icewal.spark.read;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/// A part of a stream's batch.
sealed interface StreamPartition extends InputPartition {
  /// Rows of a snapshot.
  ///
  /// @param files as iceberg-spark has planned them
  /// @param readers open them
  record Files(InputPartition files, PartitionReaderFactory readers) implements StreamPartition {
    @Override
    public String[] preferredLocations() {
      return files.preferredLocations();
    }
  }

  /// Rows of the log that are there.
  record Upserts(TailPartition rows) implements StreamPartition {}

  /// Rows of the log that name keys without row.
  record Deletes(TailPartition keys) implements StreamPartition {}

  /// All that the table had before the batch is gone.
  record Truncate() implements StreamPartition {}
}
