package io.icewal.trino;

import io.icewal.model.IcewalException;
import io.icewal.trino.read.Pin;
import io.icewal.trino.read.Pins;
import io.icewal.trino.read.TailTable;
import io.icewal.trino.services.IcewalErrorCode;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableProperties;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// trino-iceberg's metadata, where the tail makes a difference.
final class IcewalMetadata extends ClassLoaderSafeConnectorMetadata {
  private final Pins pins;

  IcewalMetadata(ConnectorMetadata stock, Pins pins) {
    super(stock, IcewalMetadata.class.getClassLoader());
    this.pins = pins;
  }

  @Override
  public @Nullable ConnectorTableHandle getTableHandle(
      ConnectorSession session,
      SchemaTableName name,
      Optional<ConnectorTableVersion> startVersion,
      Optional<ConnectorTableVersion> endVersion) {
    ConnectorTableHandle stock = super.getTableHandle(session, name, startVersion, endVersion);
    if (!(stock instanceof IcebergTableHandle handle)
        || startVersion.isPresent()
        || endVersion.isPresent()) {
      return stock;
    }
    try {
      return pins.pin(session, handle, SessionProperties.wish(session))
          .map(Pin::handle)
          .orElse(handle);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  private Optional<Pin> pin(ConnectorTableHandle table) {
    return table instanceof IcebergTableHandle handle ? pins.find(handle) : Optional.empty();
  }

  @Override
  public Optional<SystemTable> getSystemTable(ConnectorSession session, SchemaTableName name) {
    Optional<SchemaTableName> base = TailTable.baseOf(name);
    if (base.isEmpty()) {
      return super.getSystemTable(session, name);
    }
    ConnectorTableHandle handle =
        getTableHandle(session, base.get(), Optional.empty(), Optional.empty());
    if (!(handle instanceof IcebergTableHandle)) {
      return Optional.empty();
    }
    return pins.find(base.get()).map(pin -> new TailTable(name, pin));
  }

  /// Files without deletes would be counted up to the limit although the tail hides rows of them.
  @Override
  public Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(
      ConnectorSession session, ConnectorTableHandle table, long limit) {
    return pin(table).isPresent() ? Optional.empty() : super.applyLimit(session, table, limit);
  }

  /// What follows from the files alone (their partitions, that there are none) is not told: the
  /// tail has rows of any partition.
  @Override
  public ConnectorTableProperties getTableProperties(
      ConnectorSession session, ConnectorTableHandle table) {
    if (pin(table).isEmpty()) {
      return super.getTableProperties(session, table);
    }
    return new ConnectorTableProperties(
        ((IcebergTableHandle) table).getEnforcedPredicate().transformKeys(ColumnHandle.class::cast),
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  @Override
  public Optional<ConnectorTableHandle> applyPartitioning(
      ConnectorSession session,
      ConnectorTableHandle table,
      Optional<ConnectorPartitioningHandle> partitioning,
      List<ColumnHandle> columns) {
    return pin(table).isPresent()
        ? Optional.empty()
        : super.applyPartitioning(session, table, partitioning, columns);
  }

  /// Estimates of columns stay those of the files.
  @Override
  public TableStatistics getTableStatistics(ConnectorSession session, ConnectorTableHandle table) {
    TableStatistics files = super.getTableStatistics(session, table);
    Optional<Pin> pin = pin(table);
    if (pin.isEmpty() || files.getRowCount().isUnknown()) {
      return files;
    }
    double rows = files.getRowCount().getValue() + pin.get().tailRows();
    return new TableStatistics(Estimate.of(rows), files.getColumnStatistics());
  }

  // Writes into tables of icewal do not go through the log yet: refused, never half done.

  private void refuseWrite(ConnectorTableHandle table) {
    if (table instanceof IcebergTableHandle handle
        && pins.find(handle.getSchemaTableName()).isPresent()) {
      throw new TrinoException(
          StandardErrorCode.NOT_SUPPORTED,
          "rows of table " + handle.getSchemaTableName() + " cannot be changed from Trino");
    }
  }

  @Override
  public ConnectorInsertTableHandle beginInsert(
      ConnectorSession session,
      ConnectorTableHandle table,
      List<ColumnHandle> columns,
      RetryMode retries) {
    refuseWrite(table);
    return super.beginInsert(session, table, columns, retries);
  }

  @Override
  public ConnectorMergeTableHandle beginMerge(
      ConnectorSession session,
      ConnectorTableHandle table,
      Map<Integer, Collection<ColumnHandle>> updateCases,
      RetryMode retries) {
    refuseWrite(table);
    return super.beginMerge(session, table, updateCases, retries);
  }

  @Override
  public Optional<ConnectorTableHandle> applyDelete(
      ConnectorSession session, ConnectorTableHandle table) {
    refuseWrite(table);
    return super.applyDelete(session, table);
  }

  @Override
  public void truncateTable(ConnectorSession session, ConnectorTableHandle table) {
    refuseWrite(table);
    super.truncateTable(session, table);
  }
}
