package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.services.Warehouse;
import io.icewal.table.TablePosition;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.SparkTableUtil;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/// A table of icewal in its current version: iceberg-spark's, with the tail.
///
/// Spark loads a table when it analyses a statement and again when it executes it. So nothing of
/// the log is read before the first scan: an object that is never scanned costs no request.
public final class FreshTable extends SparkTable {
  /// Read option: `false` for the snapshot alone.
  public static final String FRESH = "fresh";

  private final BaseTable current;
  private final Warehouse warehouse;
  private @Nullable Pin pin;

  private FreshTable(BaseTable current, Warehouse warehouse) {
    super(current);
    this.current = current;
    this.warehouse = warehouse;
  }

  /// The table as Spark sees it: a fresh one if it is icewal's, else iceberg-spark's own.
  public static SparkTable of(Table table, Warehouse warehouse) {
    return table instanceof BaseTable base && TablePosition.valid(base).isPresent()
        ? new FreshTable(base, warehouse)
        : new SparkTable(table);
  }

  @Override
  public Map<String, String> properties() {
    Map<String, String> properties = new HashMap<>(super.properties());
    Set<String> key = current.schema().identifierFieldNames();
    if (!key.isEmpty()) {
      properties.put("primary-key", String.join(",", key));
    }
    return properties;
  }

  /// Rows that are in no file have null there.
  @Override
  public MetadataColumn[] metadataColumns() {
    return Arrays.stream(super.metadataColumns())
        .map(NullableMetadataColumn::of)
        .toArray(MetadataColumn[]::new);
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    String branch = SparkTableUtil.determineReadBranch(spark(), current, branch(), options);
    if (!options.getBoolean(FRESH, true)
        || Spark3Util.containsIncrementalOptions(options)
        || (branch != null && !branch.equals(SnapshotRef.MAIN_BRANCH))) {
      return super.newScanBuilder(options);
    }
    Pin pinned = pin();
    return pinned.hasTail()
        ? FreshScanBuilder.of(pinned, options)
        : new SparkTable(pinned.table()).newScanBuilder(options);
  }

  private synchronized Pin pin() {
    Pin made = pin;
    if (made == null) {
      made = Pin.make(current.uuid(), current.name(), current.operations(), warehouse);
      if (!made.table().schema().sameSchema(current.schema())) {
        throw new IcewalException(
            ErrorKind.CONFLICT,
            "the schema of "
                + current.name()
                + " was changed while the query was being planned: run it again");
      }
      pin = made;
    }
    return made;
  }

  private synchronized @Nullable Pin pinIfMade() {
    return pin;
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    throw notYet("written");
  }

  @Override
  public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
    throw notYet("changed");
  }

  @Override
  public boolean canDeleteWhere(Predicate[] predicates) {
    throw notYet("changed");
  }

  @Override
  public void deleteWhere(Predicate[] predicates) {
    throw notYet("changed");
  }

  @Override
  public boolean truncateTable() {
    throw notYet("changed");
  }

  private UnsupportedOperationException notYet(String done) {
    return new UnsupportedOperationException(
        "table " + current.name() + " cannot be " + done + " from Spark yet: only be read");
  }

  /// Two objects whose cut is not made yet may come to see different rows.
  @Override
  public boolean equals(@Nullable Object other) {
    if (this == other) {
      return true;
    }
    if (!(other instanceof FreshTable that) || !super.equals(that)) {
      return false;
    }
    Pin mine = pinIfMade();
    Pin others = that.pinIfMade();
    return mine != null && others != null && mine.isSameAs(others);
  }

  @Override
  public int hashCode() {
    return Objects.hash(current.name(), current.uuid());
  }
}
