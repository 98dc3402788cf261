package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.services.Warehouse;
import io.icewal.table.TablePosition;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.spark.TimeTravel;
import org.apache.iceberg.spark.source.SparkChangelogTable;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.connector.catalog.Table;
import org.jspecify.annotations.Nullable;

/// Loads tables for Spark, by all the names that iceberg-spark knows: `t`, metadata tables such as
/// `t.files`, `t.changes`, and versions such as `t.branch_b`, `t.tag_x`, `t.snapshot_id_1`,
/// `t.at_timestamp_1`. Thread-safe if the catalog is.
///
/// Only `t` has a tail, and is written: the others are about snapshots.
public final class TableLoader {
  private static final Pattern SELECTOR =
      Pattern.compile("(branch|tag|snapshot_id|at_timestamp)_(.+)");

  private final Catalog catalog;
  private final Warehouse warehouse;

  public TableLoader(Catalog catalog, Warehouse warehouse) {
    this.catalog = catalog;
    this.warehouse = warehouse;
  }

  /// @throws NoSuchTableException if there is none of that name
  public Table load(TableIdentifier name) {
    try {
      return FreshTable.of(name, catalog.loadTable(name), warehouse);
    } catch (NoSuchTableException e) {
      Table selected = select(name);
      if (selected == null) {
        throw e;
      }
      return selected;
    }
  }

  /// @throws NoSuchTableException if there is none of that name
  public Table load(TableIdentifier name, TimeTravel version) {
    org.apache.iceberg.Table table = catalog.loadTable(name);
    return readOnly(table, asOf(table, version));
  }

  /// A version of a table. iceberg-spark looks for the names in filters among the table's columns
  /// of today: it is given the table with those of then.
  private static SparkTable asOf(org.apache.iceberg.Table table, TimeTravel version) {
    SparkTable now = SparkTable.create(table, version);
    Integer schema = table.snapshot(now.snapshotId()).schemaId();
    if (!(table instanceof BaseTable base)
        || schema == null
        || schema == table.schema().schemaId()) {
      return now;
    }
    TableOperations operations = base.operations();
    TableMetadata then =
        TableMetadata.buildFrom(operations.current())
            .setCurrentSchema(schema)
            .discardChanges()
            .build();
    return SparkTable.create(
        new BaseTable(
            new StaticTableOperations(then, operations.io(), operations.locationProvider()),
            table.name()),
        version);
  }

  /// A version of a table, as a table that is not written if it is one of icewal's.
  private static Table readOnly(org.apache.iceberg.Table table, SparkTable version) {
    return TablePosition.valid(table).isPresent() ? new SnapshotTable(version) : version;
  }

  /// The table that the name before the last part means, if the last part is a selector.
  private @Nullable Table select(TableIdentifier name) {
    String[] levels = name.namespace().levels();
    Matcher selector = SELECTOR.matcher(name.name());
    boolean changes = name.name().equalsIgnoreCase(SparkChangelogTable.TABLE_NAME);
    if (levels.length == 0 || (!changes && !selector.matches())) {
      return null;
    }
    TableIdentifier base =
        TableIdentifier.of(
            Namespace.of(Arrays.copyOf(levels, levels.length - 1)), levels[levels.length - 1]);
    if (!catalog.tableExists(base)) {
      return null;
    }
    org.apache.iceberg.Table table = catalog.loadTable(base);
    return changes
        ? new SparkChangelogTable(table)
        : readOnly(table, select(table, selector.group(1), selector.group(2)));
  }

  private static SparkTable select(org.apache.iceberg.Table table, String kind, String value) {
    return switch (kind) {
      case "branch" -> SparkTable.create(table, value);
      case "at_timestamp" -> asOf(table, TimeTravel.timestampMillis(number(kind, value)));
      case "snapshot_id" -> asOf(table, TimeTravel.version(Long.toString(number(kind, value))));
      default -> asOf(table, TimeTravel.version(value));
    };
  }

  private static long number(String kind, String value) {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IcewalException(
          ErrorKind.INVALID, kind + "_" + value + " has no number after " + kind + "_", e);
    }
  }
}
