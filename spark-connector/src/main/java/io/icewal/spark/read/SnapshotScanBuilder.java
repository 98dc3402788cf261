package io.icewal.spark.read;

import java.util.function.Supplier;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;

/// Builds a scan of a table without tail: all that iceberg-spark can push down is. Used by one
/// thread.
///
/// It stands before iceberg-spark's own for streams alone, which Spark asks of the same builder:
/// iceberg-spark's would read snapshots.
final class SnapshotScanBuilder
    implements SupportsPushDownV2Filters,
        SupportsPushDownRequiredColumns,
        SupportsPushDownLimit,
        SupportsPushDownAggregates {
  private final ScanBuilder files;
  private final Supplier<MicroBatchStream> stream;

  /// @param files takes columns and filters at least
  SnapshotScanBuilder(ScanBuilder files, Supplier<MicroBatchStream> stream) {
    this.files = files;
    this.stream = stream;
  }

  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    return ((SupportsPushDownV2Filters) files).pushPredicates(predicates);
  }

  @Override
  public Predicate[] pushedPredicates() {
    return ((SupportsPushDownV2Filters) files).pushedPredicates();
  }

  @Override
  public void pruneColumns(StructType wanted) {
    ((SupportsPushDownRequiredColumns) files).pruneColumns(wanted);
  }

  @Override
  public boolean pushLimit(int limit) {
    return files instanceof SupportsPushDownLimit limited && limited.pushLimit(limit);
  }

  @Override
  public boolean supportCompletePushDown(Aggregation aggregation) {
    return files instanceof SupportsPushDownAggregates aggregates
        && aggregates.supportCompletePushDown(aggregation);
  }

  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    return files instanceof SupportsPushDownAggregates aggregates
        && aggregates.pushAggregation(aggregation);
  }

  /// What was answered from metadata alone is passed on as it is.
  @Override
  public Scan build() {
    Scan scan = files.build();
    return scan instanceof LocalScan ? scan : new SnapshotScan(scan, stream);
  }
}
