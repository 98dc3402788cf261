package io.icewal.trino.ddl;

import io.icewal.model.IcewalException;
import io.icewal.table.TableStart;
import io.icewal.trino.read.Pins;
import io.icewal.trino.services.IcewalErrorCode;
import io.icewal.trino.services.Warehouse;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.TypeConverter;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.type.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// trino-iceberg's metadata, which refuses changes that would harm the log: columns of icewal's
/// tables that it cannot hold, and folders of any table within it.
public final class CheckedMetadata extends ClassLoaderSafeConnectorMetadata {
  private final Pins pins;
  private final Warehouse warehouse;

  public CheckedMetadata(ConnectorMetadata stock, Pins pins, Warehouse warehouse) {
    super(stock, CheckedMetadata.class.getClassLoader());
    this.pins = pins;
    this.warehouse = warehouse;
  }

  @Override
  public void createTable(
      ConnectorSession session, ConnectorTableMetadata table, SaveMode saveMode) {
    requireApartFromLog(table.getProperties());
    super.createTable(session, table, saveMode);
  }

  @Override
  public ConnectorOutputTableHandle beginCreateTable(
      ConnectorSession session,
      ConnectorTableMetadata table,
      Optional<ConnectorTableLayout> layout,
      RetryMode retries,
      boolean replace) {
    requireApartFromLog(table.getProperties());
    return super.beginCreateTable(session, table, layout, retries, replace);
  }

  @Override
  public void setTableProperties(
      ConnectorSession session,
      ConnectorTableHandle table,
      Map<String, Optional<Object>> properties) {
    Map<String, Object> values = new LinkedHashMap<>();
    properties.forEach((name, value) -> value.ifPresent(some -> values.put(name, some)));
    requireApartFromLog(values);
    super.setTableProperties(session, table, properties);
  }

  private void requireApartFromLog(Map<String, Object> properties) {
    try {
      TableProperties.requireApartFromLog(properties, warehouse.config());
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  @Override
  public void addColumn(
      ConnectorSession session,
      ConnectorTableHandle table,
      ColumnMetadata column,
      ColumnPosition position) {
    checkColumn(table, column.getName(), column.getType());
    super.addColumn(session, table, column, position);
  }

  @Override
  public void addField(
      ConnectorSession session,
      ConnectorTableHandle table,
      List<String> parentPath,
      String fieldName,
      Type type,
      boolean ignoreExisting) {
    checkColumn(table, String.join(".", parentPath) + "." + fieldName, type);
    super.addField(session, table, parentPath, fieldName, type, ignoreExisting);
  }

  @Override
  public void setColumnType(
      ConnectorSession session, ConnectorTableHandle table, ColumnHandle column, Type type) {
    checkColumn(table, ((IcebergColumnHandle) column).getName(), type);
    super.setColumnType(session, table, column, type);
  }

  @Override
  public void setFieldType(
      ConnectorSession session, ConnectorTableHandle table, List<String> fieldPath, Type type) {
    checkColumn(table, String.join(".", fieldPath), type);
    super.setFieldType(session, table, fieldPath, type);
  }

  @Override
  public void renameColumn(
      ConnectorSession session, ConnectorTableHandle table, ColumnHandle source, String target) {
    checkColumn(table, target, ((IcebergColumnHandle) source).getType());
    super.renameColumn(session, table, source, target);
  }

  private void checkColumn(ConnectorTableHandle table, String name, Type type) {
    boolean own =
        table instanceof IcebergTableHandle handle
            && pins.find(handle.getSchemaTableName()).isPresent();
    if (own) {
      try {
        TableStart.checkColumn(
            name, TypeConverter.toIcebergTypeForNewColumn(type, new AtomicInteger(1)));
      } catch (IcewalException e) {
        throw IcewalErrorCode.of(e);
      }
    }
  }
}
