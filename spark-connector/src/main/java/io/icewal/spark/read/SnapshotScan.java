package io.icewal.spark.read;

import java.util.function.Supplier;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.connector.read.partitioning.Partitioning;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.jspecify.annotations.Nullable;

/// iceberg-spark's scan of a table without tail, which as a stream reads the log.
final class SnapshotScan implements StreamedScan, SupportsReportPartitioning {
  private final Scan files;
  private final Supplier<MicroBatchStream> stream;

  /// @param files reports partitioning and statistics, and takes filters at run time
  SnapshotScan(Scan files, Supplier<MicroBatchStream> stream) {
    this.files = files;
    this.stream = stream;
  }

  @Override
  public Scan files() {
    return files;
  }

  @Override
  public Supplier<MicroBatchStream> stream() {
    return stream;
  }

  @Override
  public Batch toBatch() {
    return files.toBatch();
  }

  @Override
  public Partitioning outputPartitioning() {
    return ((SupportsReportPartitioning) files).outputPartitioning();
  }

  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return files.columnarSupportMode();
  }

  @Override
  public String toString() {
    return files.toString();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SnapshotScan that && files.equals(that.files);
  }

  @Override
  public int hashCode() {
    return files.hashCode();
  }
}
