package io.icewal.spark.ddl;

import io.icewal.engine.TableMaking;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.materialize.SparkExecutor;
import io.icewal.spark.services.Warehouse;
import io.icewal.table.TableFolder;
import io.icewal.table.TablePosition;
import io.icewal.table.TableStart;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.util.LocationUtil;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// A table as a statement defines it. Immutable.
public final class TableDefinition {
  private static final String OWN_VERSION = "3";

  private final TableIdentifier name;
  private final Schema schema;
  private final Transform[] partitions;
  private final Map<String, String> properties;
  private final List<String> key;

  /// @throws IcewalException INVALID for what cannot be
  public TableDefinition(
      TableIdentifier name,
      StructType columns,
      Transform[] partitions,
      Map<String, String> properties) {
    this.name = name;
    this.key = PrimaryKey.columns(properties, columns);
    this.schema = SparkSchemaUtil.convert(PrimaryKey.withRequired(columns, key));
    this.partitions = partitions.clone();
    this.properties = new HashMap<>(properties);
    this.properties.remove(PrimaryKey.PROPERTY);
    this.properties.putIfAbsent(TableProperties.FORMAT_VERSION, OWN_VERSION);
    if (properties.containsKey(TablePosition.PROPERTY)) {
      throw new IcewalException(
          ErrorKind.INVALID, "property " + TablePosition.PROPERTY + " cannot be set by hand");
    }
    if (!isOwn() && !key.isEmpty()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          PrimaryKey.PROPERTY + " needs " + TableProperties.FORMAT_VERSION + " = " + OWN_VERSION);
    }
  }

  /// Whether the table becomes one of icewal's.
  public boolean isOwn() {
    return OWN_VERSION.equals(properties.get(TableProperties.FORMAT_VERSION));
  }

  /// How a transaction begins.
  public enum Mode {
    CREATE,
    REPLACE,
    CREATE_OR_REPLACE
  }

  /// Begins to make the table: all but its position, its rows and its commit.
  ///
  /// @throws org.apache.iceberg.exceptions.AlreadyExistsException if it is to be new and is not
  /// @throws org.apache.iceberg.exceptions.NoSuchTableException if there is none to replace
  /// @throws IcewalException INVALID for what icewal does not keep
  public BegunTable begin(Catalog catalog, Mode mode, Warehouse warehouse) {
    String given = properties.get(TableCatalog.PROP_LOCATION);
    @Nullable Table before = mode == Mode.CREATE ? null : find(catalog);
    boolean replaces = before != null || mode == Mode.REPLACE;
    Transaction transaction = begin(catalog, replaces, given);
    TableFolders folders = new TableFolders(transaction.table().io(), warehouse.config());
    if (before == null && given == null) {
      String usual = transaction.table().location();
      if (TableFolder.mayBeTaken(transaction.table().io(), usual)) {
        // By a table that was renamed, or one that was dropped and not purged.
        transaction =
            begin(
                catalog,
                replaces,
                LocationUtil.stripTrailingSlash(usual) + "-" + UUID.randomUUID());
      }
      folders.checkChosen(transaction.table().location(), transaction.table().properties());
    } else {
      folders.check(before, transaction.table().location(), transaction.table().properties());
    }
    if (!isOwn()) {
      return new BegunTable(transaction, /* making= */ null, /* keyed= */ false);
    }
    TableStart.prepare(name, transaction, key);
    TableMaking making =
        new TableMaking(
            name,
            transaction,
            () -> catalog.loadTable(name),
            warehouse,
            SparkExecutor.with(warehouse.settings()));
    return new BegunTable(transaction, making, !key.isEmpty());
  }

  private @Nullable Table find(Catalog catalog) {
    try {
      return catalog.loadTable(name);
    } catch (NoSuchTableException e) {
      return null;
    }
  }

  private Transaction begin(Catalog catalog, boolean replaces, @Nullable String location) {
    Map<String, String> options = new HashMap<>(properties);
    if ("icewal".equalsIgnoreCase(options.get(TableCatalog.PROP_PROVIDER))) {
      options.remove(TableCatalog.PROP_PROVIDER);
    }
    Catalog.TableBuilder builder =
        catalog
            .buildTable(name, schema)
            .withPartitionSpec(Spark3Util.toPartitionSpec(schema, partitions))
            .withLocation(location)
            .withProperties(Spark3Util.rebuildCreateProperties(options));
    return replaces ? builder.replaceTransaction() : builder.createTransaction();
  }
}
