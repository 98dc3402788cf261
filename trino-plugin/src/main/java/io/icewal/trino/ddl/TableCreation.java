package io.icewal.trino.ddl;

import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.TableStart;
import io.icewal.trino.services.IcewalErrorCode;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.icewal.trino.write.LogTable;
import io.trino.filesystem.Locations;
import io.trino.plugin.iceberg.IcebergErrorCode;
import io.trino.plugin.iceberg.IcebergTableProperties;
import io.trino.plugin.iceberg.IcebergUtil;
import io.trino.plugin.iceberg.catalog.TrinoCatalog;
import io.trino.plugin.iceberg.util.SystemTableUtil;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.SchemaTableName;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.util.LocationUtil;
import org.jspecify.annotations.Nullable;

/// A table that is being made. Used by one thread.
public final class TableCreation {
  private final SchemaTableName name;
  private final Transaction transaction;
  private final boolean replaces;
  private final Warehouse warehouse;
  private final Position begun;
  private @Nullable DetachedTable rows;

  private TableCreation(
      SchemaTableName name, Transaction transaction, boolean replaces, Warehouse warehouse) {
    this.name = name;
    this.transaction = transaction;
    this.replaces = replaces;
    this.warehouse = warehouse;
    this.begun = logEnd();
    if (!replaces) {
      TableStart.begin(transaction, begun);
    }
  }

  private Position logEnd() {
    return warehouse.logEnd(transaction.table().uuid());
  }

  /// Prepares the transaction that makes a table.
  ///
  /// @param replaced the table that it takes the place of, or null
  public static TableCreation begin(
      ConnectorSession session,
      ConnectorTableMetadata wanted,
      @Nullable Table replaced,
      StockServices stock,
      Warehouse warehouse) {
    List<String> key = TableProperties.primaryKey(wanted.getProperties());
    ConnectorTableMetadata table = withRequired(wanted, key);
    TrinoCatalog catalog = stock.catalog(session);
    Optional<String> given = IcebergTableProperties.getTableLocation(table.getProperties());
    String location =
        replaced != null
            ? sameLocation(replaced.location(), given)
            : given.orElseGet(() -> catalog.defaultTableLocation(session, table.getTable()));
    try {
      Transaction transaction =
          IcebergUtil.newCreateTableTransaction(
              catalog,
              table,
              session,
              replaced != null,
              location,
              stock::allowsProperty,
              replaced == null ? List.of() : SystemTableUtil.getAllPartitionFields(replaced));
      // Where the catalog puts it: it may not be asked before.
      warehouse.config().requireApartFromLog(transaction.table().location());
      TableProperties.requireApartFromLog(table.getProperties(), warehouse.config());
      if (replaced == null) {
        requireEmptyFolder(session, transaction.table(), stock);
      }
      TableStart.prepare(identifier(table.getTable()), transaction, key);
      return new TableCreation(table.getTable(), transaction, replaced != null, warehouse);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  private static String sameLocation(String location, Optional<String> given) {
    if (given.isPresent() && !LocationUtil.stripTrailingSlash(given.get()).equals(location)) {
      throw new TrinoException(
          StandardErrorCode.INVALID_TABLE_PROPERTY,
          "The provided location '%s' does not match the existing table location '%s'"
              .formatted(given.get(), location));
    }
    return location;
  }

  /// What lies there may be another table, whose files the end of this one would take along.
  private static void requireEmptyFolder(
      ConnectorSession session, Table table, StockServices stock) {
    boolean given = !Locations.isS3Tables(table.location());
    if (given && !stock.isFolderEmpty(session, table)) {
      throw new TrinoException(
          IcebergErrorCode.ICEBERG_FILESYSTEM_ERROR,
          "Cannot create a table on a non-empty location: " + table.location());
    }
  }

  /// Columns of a key are NOT NULL, said or not.
  private static ConnectorTableMetadata withRequired(
      ConnectorTableMetadata table, List<String> key) {
    for (String name : key) {
      if (table.getColumns().stream().noneMatch(column -> column.getName().equals(name))) {
        throw new TrinoException(
            StandardErrorCode.INVALID_TABLE_PROPERTY,
            "primary_key names column '" + name + "', which the table does not have");
      }
    }
    List<ColumnMetadata> columns =
        table.getColumns().stream()
            .map(
                column ->
                    key.contains(column.getName())
                        ? ColumnMetadata.builderFrom(column).setNullable(false).build()
                        : column)
            .toList();
    return new ConnectorTableMetadata(
        table.getTable(),
        columns,
        table.getProperties(),
        table.getComment(),
        table.getCheckConstraints());
  }

  /// What rows are written with before the table is there: they lie after its position.
  public LogTable logTable() {
    if (!replaces) {
      return LogTable.of(name, transaction.table(), begun);
    }
    DetachedTable detached = new DetachedTable(identifier(name), transaction, warehouse);
    rows = detached;
    return LogTable.of(name, detached.table(), detached.begin());
  }

  private static TableIdentifier identifier(SchemaTableName name) {
    return TableIdentifier.of(name.getSchemaName(), name.getTableName());
  }

  /// Makes the table, with the rows that `publish` appends to its log.
  ///
  /// The rows of a new table come first: until it is there nobody asks for them, and from then on
  /// all of them count. A table that takes the place of another has its UUID, so that its rows
  /// would be the old one's: they come as files.
  public void commit(Runnable publish) {
    publish.run();
    DetachedTable detached = rows;
    if (detached != null) {
      try {
        detached.moveRows();
      } catch (IcewalException e) {
        throw IcewalErrorCode.of(e);
      }
    }
    commit();
  }

  /// Makes the table, without rows.
  public void commit() {
    if (replaces) {
      // As late as can be: rows that came before it are the old table's, and gone with it.
      TableStart.begin(transaction, logEnd());
    }
    try {
      transaction.commitTransaction();
    } catch (AlreadyExistsException e) {
      throw new TrinoException(
          StandardErrorCode.TABLE_ALREADY_EXISTS, "Table " + name + " already exists", e);
    }
  }
}
