package io.icewal.trino.write;

import io.icewal.model.BlockKind;
import io.icewal.statement.StatementTable;
import io.icewal.trino.read.KeyRowId;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.icewal.wal.Staging;
import io.trino.plugin.iceberg.TypeConverter;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPageSink;
import io.trino.spi.connector.ConnectorPageSinkId;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.Optional;

/// Sinks into the log, by the kind of the handle; all others are trino-iceberg's. Thread-safe.
public final class LogPageSinkProvider implements ConnectorPageSinkProvider {
  private final ConnectorPageSinkProvider stock;
  private final Warehouse warehouse;
  private final StockServices services;

  public LogPageSinkProvider(
      ConnectorPageSinkProvider stock, Warehouse warehouse, StockServices services) {
    this.stock = stock;
    this.warehouse = warehouse;
    this.services = services;
  }

  @Override
  public ConnectorPageSink createPageSink(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorOutputTableHandle handle,
      Optional<ConnectorTableCredentials> credentials,
      ConnectorPageSinkId id) {
    if (handle instanceof CreateHandle create) {
      return new LogPageSink(
          stager(create.table(), BlockKind.UPSERT, false), types(create.table()));
    }
    return stock.createPageSink(transaction, session, handle, credentials, id);
  }

  @Override
  public ConnectorPageSink createPageSink(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorInsertTableHandle handle,
      Optional<ConnectorTableCredentials> credentials,
      ConnectorPageSinkId id) {
    if (handle instanceof InsertHandle insert) {
      return new LogPageSink(
          stager(insert.table(), BlockKind.UPSERT, false), types(insert.table()));
    }
    return stock.createPageSink(transaction, session, handle, credentials, id);
  }

  @Override
  public ConnectorPageSink createPageSink(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorTableExecuteHandle handle,
      Optional<ConnectorTableCredentials> credentials,
      ConnectorPageSinkId id) {
    return stock.createPageSink(transaction, session, handle, credentials, id);
  }

  @Override
  public ConnectorMergeSink createMergeSink(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorMergeTableHandle handle,
      Optional<ConnectorTableCredentials> credentials,
      ConnectorPageSinkId id) {
    if (handle instanceof MergeHandle merge) {
      return new LogMergeSink(
          stager(merge.table(), BlockKind.DELETE, true),
          stager(merge.table(), BlockKind.UPSERT, true),
          types(merge.table()),
          KeyRowId.of(merge.table().inStatement().schema(), services.types()));
    }
    return stock.createMergeSink(transaction, session, handle, credentials, id);
  }

  private BlockStager stager(LogTable written, BlockKind kind, boolean tellsKeys) {
    StatementTable table = written.inStatement();
    Staging staging =
        new Staging(
            warehouse.root(), table.readPosition().log(), warehouse.random(), warehouse.executor());
    return new BlockStager(
        table,
        kind,
        tellsKeys,
        staging,
        warehouse.allocator().newChildAllocator("staging", 0, Long.MAX_VALUE));
  }

  private List<Type> types(LogTable table) {
    return table.inStatement().schema().columns().stream()
        .map(column -> TypeConverter.toTrinoType(column.type(), services.types()))
        .toList();
  }
}
