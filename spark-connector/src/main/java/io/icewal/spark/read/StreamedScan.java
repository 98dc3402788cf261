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

/// iceberg-spark's scan of files, which as a stream reads the log. Two implementations: [FreshScan]
/// and [SnapshotScan].
interface StreamedScan extends SupportsReportStatistics, SupportsRuntimeV2Filtering {
  /// Reports statistics and takes filters at run time.
  Scan files();

  /// The table as a stream.
  Supplier<MicroBatchStream> stream();

  @Override
  default StructType readSchema() {
    return files().readSchema();
  }

  @Override
  default MicroBatchStream toMicroBatchStream(String checkpoint) {
    return stream().get();
  }

  @Override
  default Statistics estimateStatistics() {
    return ((SupportsReportStatistics) files()).estimateStatistics();
  }

  @Override
  default NamedReference[] filterAttributes() {
    return ((SupportsRuntimeV2Filtering) files()).filterAttributes();
  }

  @Override
  default void filter(Predicate[] predicates) {
    ((SupportsRuntimeV2Filtering) files()).filter(predicates);
  }

  @Override
  default CustomMetric[] supportedCustomMetrics() {
    return files().supportedCustomMetrics();
  }

  @Override
  default CustomTaskMetric[] reportDriverMetrics() {
    return files().reportDriverMetrics();
  }

  @Override
  default String description() {
    return files().description();
  }
}
