package io.icewal.trino.ddl;

import io.icewal.model.IcewalException;
import io.icewal.table.TableStart;
import io.icewal.trino.services.IcewalErrorCode;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.icewal.trino.write.LogTable;
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
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.jspecify.annotations.Nullable;

/// A table that is being made. Used by one thread.
public final class TableCreation {
  private final SchemaTableName name;
  private final Transaction transaction;
  private final boolean replaces;

  private TableCreation(SchemaTableName name, Transaction transaction, boolean replaces) {
    this.name = name;
    this.transaction = transaction;
    this.replaces = replaces;
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
    String location =
        replaced != null
            ? replaced.location()
            : IcebergTableProperties.getTableLocation(table.getProperties())
                .orElseGet(() -> catalog.defaultTableLocation(session, table.getTable()));
    try {
      warehouse.config().requireApartFromLog(location);
      Transaction transaction =
          IcebergUtil.newCreateTableTransaction(
              catalog,
              table,
              session,
              replaced != null,
              location,
              stock::allowsProperty,
              replaced == null ? List.of() : SystemTableUtil.getAllPartitionFields(replaced));
      TableStart.add(
          TableIdentifier.of(table.getTable().getSchemaName(), table.getTable().getTableName()),
          transaction,
          key,
          warehouse::logEnd);
      return new TableCreation(table.getTable(), transaction, replaced != null);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
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
    return LogTable.of(name, transaction.table());
  }

  /// Makes the table, with the rows that `publish` appends to its log.
  ///
  /// The rows of a new table come first: until it is there nobody asks for them, and from then on
  /// all of them count. A table that takes the place of another has its UUID: rows that came first
  /// would be the old one's.
  public void commit(Runnable publish) {
    if (replaces) {
      commit();
      publish.run();
    } else {
      publish.run();
      commit();
    }
  }

  /// Makes the table, without rows.
  public void commit() {
    try {
      transaction.commitTransaction();
    } catch (AlreadyExistsException e) {
      throw new TrinoException(
          StandardErrorCode.TABLE_ALREADY_EXISTS, "Table " + name + " already exists", e);
    }
  }
}
