package io.icewal.spark.read;

import java.util.Set;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/// A branch, a tag or a snapshot of a table of icewal: read as iceberg-spark reads it, and never
/// written. iceberg-spark would write files: past the log, and without a look at the key.
final class SnapshotTable extends SparkTable {
  private final SparkTable stock;

  SnapshotTable(SparkTable stock) {
    super(stock.table());
    this.stock = stock;
  }

  @Override
  public StructType schema() {
    return stock.schema();
  }

  @Override
  public Long snapshotId() {
    return stock.snapshotId();
  }

  @Override
  public String branch() {
    return stock.branch();
  }

  @Override
  public String version() {
    return stock.version();
  }

  @Override
  public SparkTable copyWithBranch(String branch) {
    return new SnapshotTable(stock.copyWithBranch(branch));
  }

  /// With those of writes, whose refusal then says why.
  @Override
  public Set<TableCapability> capabilities() {
    return stock.capabilities();
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return PlainScanBuilder.orStock(stock.table().schema(), options, stock::newScanBuilder);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    throw refusal();
  }

  @Override
  public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
    throw refusal();
  }

  @Override
  public boolean canDeleteWhere(Predicate[] predicates) {
    throw refusal();
  }

  @Override
  public void deleteWhere(Predicate[] predicates) {
    throw refusal();
  }

  @Override
  public boolean truncateTable() {
    throw refusal();
  }

  private UnsupportedOperationException refusal() {
    return new UnsupportedOperationException(
        "branches, tags and snapshots of table "
            + name()
            + " are not written: its rows go into its log, by the table's own name");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SnapshotTable that && stock.equals(that.stock);
  }

  @Override
  public int hashCode() {
    return stock.hashCode();
  }
}
