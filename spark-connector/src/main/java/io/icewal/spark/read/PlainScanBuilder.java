package io.icewal.spark.read;

import java.util.Arrays;
import java.util.function.Function;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.source.SparkScanBuilder;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// iceberg-spark's builder of a scan, to which only columns and filters are pushed down, and no
/// filters that it applies wrongly ([DefaultedColumns]). Used by one thread.
final class PlainScanBuilder
    implements ScanBuilder, SupportsPushDownV2Filters, SupportsPushDownRequiredColumns {
  private final SparkScanBuilder files;
  private final DefaultedColumns defaulted;

  private PlainScanBuilder(SparkScanBuilder files, DefaultedColumns defaulted) {
    this.files = files;
    this.defaulted = defaulted;
  }

  /// @param schema of the table
  /// @param stock iceberg-spark's own way to make a builder
  static PlainScanBuilder of(
      Schema schema,
      CaseInsensitiveStringMap options,
      Function<CaseInsensitiveStringMap, ScanBuilder> stock) {
    DefaultedColumns defaulted = new DefaultedColumns(schema);
    return new PlainScanBuilder(
        (SparkScanBuilder) stock.apply(defaulted.readable(options)), defaulted);
  }

  /// iceberg-spark's own builder, if what it may push down is right for the table.
  ///
  /// @param schema of the table
  /// @param stock iceberg-spark's own way to make a builder
  static ScanBuilder orStock(
      Schema schema,
      CaseInsensitiveStringMap options,
      Function<CaseInsensitiveStringMap, ScanBuilder> stock) {
    return new DefaultedColumns(schema).isEmpty()
        ? stock.apply(options)
        : of(schema, options, stock);
  }

  /// Files are chosen by them; Spark applies all of them again.
  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    files.pushPredicates(
        Arrays.stream(predicates)
            .filter(predicate -> !defaulted.isIn(predicate))
            .toArray(Predicate[]::new));
    return predicates;
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
    return files.build();
  }
}
