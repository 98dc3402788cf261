package io.icewal.spark.read;

import java.util.function.Supplier;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.connector.read.partitioning.Partitioning;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// iceberg-spark's scan of a table without tail, which as a stream reads the log.
final class SnapshotScan
    implements SupportsReportPartitioning, SupportsReportStatistics, SupportsRuntimeV2Filtering {
  private final Scan files;
  private final Supplier<MicroBatchStream> stream;

  /// @param files reports partitioning and statistics, and takes filters at run time
  SnapshotScan(Scan files, Supplier<MicroBatchStream> stream) {
    this.files = files;
    this.stream = stream;
  }

  @Override
  public StructType readSchema() {
    return files.readSchema();
  }

  @Override
  public Batch toBatch() {
    return files.toBatch();
  }

  @Override
  public MicroBatchStream toMicroBatchStream(String checkpoint) {
    return stream.get();
  }

  @Override
  public Partitioning outputPartitioning() {
    return ((SupportsReportPartitioning) files).outputPartitioning();
  }

  @Override
  public Statistics estimateStatistics() {
    return ((SupportsReportStatistics) files).estimateStatistics();
  }

  @Override
  public NamedReference[] filterAttributes() {
    return ((SupportsRuntimeV2Filtering) files).filterAttributes();
  }

  @Override
  public void filter(Predicate[] predicates) {
    ((SupportsRuntimeV2Filtering) files).filter(predicates);
  }

  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return files.columnarSupportMode();
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return files.supportedCustomMetrics();
  }

  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    return files.reportDriverMetrics();
  }

  @Override
  public String description() {
    return files.description();
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
