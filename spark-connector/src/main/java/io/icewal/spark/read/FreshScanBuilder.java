package io.icewal.spark.read;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// Builds a scan of a table with a tail. Used by one thread.
///
/// Only columns and filters are pushed down: iceberg-spark would answer counts and limits from the
/// files alone.
final class FreshScanBuilder
    implements ScanBuilder, SupportsPushDownV2Filters, SupportsPushDownRequiredColumns {
  private final Pin pin;
  private final PlainScanBuilder files;
  private final Supplier<MicroBatchStream> stream;
  private final List<Predicate> wanted = new ArrayList<>();

  private FreshScanBuilder(Pin pin, PlainScanBuilder files, Supplier<MicroBatchStream> stream) {
    this.pin = pin;
    this.files = files;
    this.stream = stream;
  }

  /// @param stream the table as a stream
  static FreshScanBuilder of(
      Pin pin, CaseInsensitiveStringMap options, Supplier<MicroBatchStream> stream) {
    SparkTable table = new SparkTable(new HidingTable(pin));
    return new FreshScanBuilder(
        pin, PlainScanBuilder.of(pin.table().schema(), options, table::newScanBuilder), stream);
  }

  /// Files are chosen by them; Spark applies all of them again, for rows of the tail were not.
  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    wanted.addAll(Arrays.asList(predicates));
    return files.pushPredicates(predicates);
  }

  @Override
  public Predicate[] pushedPredicates() {
    return files.pushedPredicates();
  }

  @Override
  public void pruneColumns(StructType wanted) {
    files.pruneColumns(wanted);
  }

  @Override
  public Scan build() {
    return new FreshScan(pin, files.build(), WantedKeys.of(pin.table().schema(), wanted), stream);
  }
}
