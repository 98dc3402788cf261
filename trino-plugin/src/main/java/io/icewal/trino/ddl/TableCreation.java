package io.icewal.trino.ddl;

import io.icewal.engine.TableMaking;
import io.icewal.model.IcewalException;
import io.icewal.statement.StagedRows;
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
import io.trino.spi.connector.TableNotFoundException;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.util.LocationUtil;
import org.jspecify.annotations.Nullable;

/// A table that is being made. Used by one thread.
public final class TableCreation {
  private final SchemaTableName name;
  private final TableMaking making;

  private TableCreation(SchemaTableName name, TableMaking making) {
    this.name = name;
    this.making = making;
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
      SchemaTableName name = table.getTable();
      TableIdentifier identifier = TableIdentifier.of(name.getSchemaName(), name.getTableName());
      TableStart.prepare(identifier, transaction, key);
      return new TableCreation(
          name,
          new TableMaking(identifier, transaction, () -> load(session, name, stock), warehouse));
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  private static Table load(ConnectorSession session, SchemaTableName name, StockServices stock) {
    try {
      return stock.load(session, name);
    } catch (TableNotFoundException e) {
      throw new NoSuchTableException(e, "Table %s does not exist", name);
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

  /// What rows of a query are staged for.
  public LogTable logTable() {
    return LogTable.of(name, making.target());
  }

  /// Makes the table.
  ///
  /// @param rows that were staged for [#logTable]
  public void commit(List<StagedRows> rows) {
    try {
      making.commit(rows);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    } catch (AlreadyExistsException e) {
      throw new TrinoException(
          StandardErrorCode.TABLE_ALREADY_EXISTS, "Table " + name + " already exists", e);
    }
  }
}
