package io.icewal.spark.read;

import java.util.function.Supplier;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;

/// iceberg-spark's scan of files, which as a stream reads the log.
abstract class StreamedScan implements SupportsReportStatistics, SupportsRuntimeV2Filtering {
  final Scan files;
  private final Supplier<MicroBatchStream> stream;

  /// @param files reports statistics and takes filters at run time
  /// @param stream the table as a stream
  StreamedScan(Scan files, Supplier<MicroBatchStream> stream) {
    this.files = files;
    this.stream = stream;
  }

  @Override
  public StructType readSchema() {
    return files.readSchema();
  }

  @Override
  public final MicroBatchStream toMicroBatchStream(String checkpoint) {
    return stream.get();
  }

  @Override
  public Statistics estimateStatistics() {
    return ((SupportsReportStatistics) files).estimateStatistics();
  }

  @Override
  public final NamedReference[] filterAttributes() {
    return ((SupportsRuntimeV2Filtering) files).filterAttributes();
  }

  @Override
  public final void filter(Predicate[] predicates) {
    ((SupportsRuntimeV2Filtering) files).filter(predicates);
  }

  @Override
  public final CustomMetric[] supportedCustomMetrics() {
    return files.supportedCustomMetrics();
  }

  @Override
  public final CustomTaskMetric[] reportDriverMetrics() {
    return files.reportDriverMetrics();
  }

  @Override
  public String description() {
    return files.description();
  }
}
