package io.icewal.trino;

import io.airlift.slice.Slice;
import io.icewal.merge.KeyColumns;
import io.icewal.model.IcewalException;
import io.icewal.trino.ddl.TableCreation;
import io.icewal.trino.ddl.TableProperties;
import io.icewal.trino.read.KeyRowId;
import io.icewal.trino.read.Pin;
import io.icewal.trino.read.Pins;
import io.icewal.trino.read.TailTable;
import io.icewal.trino.services.IcewalErrorCode;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.icewal.trino.write.CreateHandle;
import io.icewal.trino.write.InsertHandle;
import io.icewal.trino.write.LogTable;
import io.icewal.trino.write.MergeHandle;
import io.icewal.trino.write.Publisher;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.RefreshType;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorOutputMetadata;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableProperties;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.ConnectorWritableTableHandle;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.MaterializedViewFreshness;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import io.trino.spi.statistics.TableStatisticsMetadata;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.jspecify.annotations.Nullable;

/// trino-iceberg's metadata, where the tail makes a difference.
final class IcewalMetadata extends ClassLoaderSafeConnectorMetadata {
  private final Pins pins;
  private final KeylessMerge keylessMerge;
  private final Publisher publisher;
  private final StockServices services;
  private final Warehouse warehouse;

  /// What a CREATE TABLE AS of this transaction makes.
  private @Nullable TableCreation creation;

  IcewalMetadata(
      ConnectorMetadata stock,
      Pins pins,
      KeylessMerge keylessMerge,
      Publisher publisher,
      StockServices services,
      Warehouse warehouse) {
    super(stock, IcewalMetadata.class.getClassLoader());
    this.pins = pins;
    this.keylessMerge = keylessMerge;
    this.publisher = publisher;
    this.services = services;
    this.warehouse = warehouse;
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

  @Override
  public Optional<Object> getInfo(ConnectorSession session, ConnectorTableHandle table) {
    Optional<ConnectorMetadata> later = keylessMerge.metadataOf(table);
    return later.isPresent() ? later.get().getInfo(session, table) : super.getInfo(session, table);
  }

  /// Estimates of columns stay those of the files.
  @Override
  public TableStatistics getTableStatistics(ConnectorSession session, ConnectorTableHandle table) {
    Optional<ConnectorMetadata> later = keylessMerge.metadataOf(table);
    if (later.isPresent()) {
      return later.get().getTableStatistics(session, table);
    }
    TableStatistics files = super.getTableStatistics(session, table);
    Optional<Pin> pin = pin(table);
    if (pin.isEmpty() || files.getRowCount().isUnknown()) {
      return files;
    }
    double rows = files.getRowCount().getValue() + pin.get().tailRows();
    return new TableStatistics(Estimate.of(rows), files.getColumnStatistics());
  }

  // Writes. Those into keyed tables, and INSERTs into any table of icewal, go into the log.

  private Optional<Pin> own(ConnectorTableHandle table) {
    return table instanceof IcebergTableHandle handle
        ? pins.find(handle.getSchemaTableName())
        : Optional.empty();
  }

  private Optional<Pin> keyed(ConnectorTableHandle table) {
    return own(table).filter(Pin::isKeyed);
  }

  private static LogTable logTable(Pin pin) {
    try {
      return LogTable.of(pin);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  @Override
  public Optional<ConnectorTableLayout> getInsertLayout(
      ConnectorSession session, ConnectorTableHandle table) {
    return own(table).isPresent() ? Optional.empty() : super.getInsertLayout(session, table);
  }

  /// Statistics are of files; rows of the log are in none yet.
  @Override
  public TableStatisticsMetadata getStatisticsCollectionMetadataForWrite(
      ConnectorSession session, ConnectorTableMetadata table, boolean replace) {
    boolean own = creation != null || pins.find(table.getTable()).isPresent();
    return own || isNew(session, table)
        ? TableStatisticsMetadata.empty()
        : super.getStatisticsCollectionMetadataForWrite(session, table, replace);
  }

  /// Asked before the table is made.
  private boolean isNew(ConnectorSession session, ConnectorTableMetadata table) {
    return TableProperties.isOwn(table)
        && super.getTableHandle(session, table.getTable(), Optional.empty(), Optional.empty())
            == null;
  }

  @Override
  public ConnectorInsertTableHandle beginInsert(
      ConnectorSession session,
      ConnectorTableHandle table,
      List<ColumnHandle> columns,
      RetryMode retries) {
    Optional<Pin> pin = own(table);
    return pin.isPresent()
        ? new InsertHandle(logTable(pin.get()))
        : super.beginInsert(session, table, columns, retries);
  }

  @Override
  public Optional<ConnectorTableCredentials> getTableCredentials(
      ConnectorSession session, ConnectorWritableTableHandle table) {
    return table instanceof InsertHandle || table instanceof CreateHandle
        ? Optional.empty()
        : super.getTableCredentials(session, table);
  }

  @Override
  public Optional<ConnectorOutputMetadata> finishInsert(
      ConnectorSession session,
      ConnectorInsertTableHandle insert,
      List<ConnectorTableHandle> sources,
      Collection<Slice> fragments,
      Collection<ComputedStatistics> statistics) {
    if (!(insert instanceof InsertHandle own)) {
      return super.finishInsert(session, insert, sources, fragments, statistics);
    }
    publisher.insert(own.table(), session.getQueryId(), fragments);
    return Optional.empty();
  }

  @Override
  public ColumnHandle getMergeRowIdColumnHandle(
      ConnectorSession session, ConnectorTableHandle table) {
    return keyed(table).isPresent()
        ? KeyRowId.of(
                SchemaParser.fromJson(((IcebergTableHandle) table).getTableSchemaJson()),
                services.types())
            .handle()
        : super.getMergeRowIdColumnHandle(session, table);
  }

  @Override
  public Optional<ConnectorPartitioningHandle> getUpdateLayout(
      ConnectorSession session, ConnectorTableHandle table) {
    return keyed(table).isPresent() ? Optional.empty() : super.getUpdateLayout(session, table);
  }

  @Override
  public ConnectorMergeTableHandle beginMerge(
      ConnectorSession session,
      ConnectorTableHandle table,
      Map<Integer, Collection<ColumnHandle>> updateCases,
      RetryMode retries) {
    own(table).ifPresent(IcewalMetadata::requireFresh);
    Optional<Pin> keyed = keyed(table);
    if (keyed.isPresent()) {
      return new MergeHandle((IcebergTableHandle) table, logTable(keyed.get()));
    }
    Optional<Pin> withTail = pin(table);
    return withTail.isPresent()
        ? keylessMerge.begin(
            session, (IcebergTableHandle) table, withTail.get(), pins, updateCases, retries)
        : super.beginMerge(session, table, updateCases, retries);
  }

  /// A statement that reads before it writes must see what it writes over.
  private static void requireFresh(Pin pin) {
    if (pin.tail() == null) {
      throw new TrinoException(
          StandardErrorCode.NOT_SUPPORTED,
          "UPDATE, DELETE and MERGE of table "
              + pin.handle().getSchemaTableName()
              + " read the log too: set the session property fresh to true");
    }
  }

  @Override
  public void finishMerge(
      ConnectorSession session,
      ConnectorMergeTableHandle merge,
      List<ConnectorTableHandle> sources,
      Collection<Slice> fragments,
      Collection<ComputedStatistics> statistics) {
    if (merge instanceof MergeHandle own) {
      publisher.merge(own.table(), session.getQueryId(), fragments);
    } else if (keylessMerge.isBegun()) {
      keylessMerge.finish(session, merge, sources, fragments, statistics);
    } else {
      super.finishMerge(session, merge, sources, fragments, statistics);
    }
  }

  /// A DELETE without a condition is a truncation; any other one goes row by row.
  @Override
  public Optional<ConnectorTableHandle> applyDelete(
      ConnectorSession session, ConnectorTableHandle table) {
    if (own(table).isEmpty()) {
      return super.applyDelete(session, table);
    }
    IcebergTableHandle handle = (IcebergTableHandle) table;
    boolean all =
        handle.getEnforcedPredicate().isAll()
            && handle.getUnenforcedPredicate().isAll()
            && handle.getLimit().isEmpty();
    return all ? Optional.of(handle) : Optional.empty();
  }

  @Override
  public OptionalLong executeDelete(ConnectorSession session, ConnectorTableHandle table) {
    if (own(table).isEmpty()) {
      return super.executeDelete(session, table);
    }
    truncateTable(session, table);
    return OptionalLong.empty();
  }

  @Override
  public void truncateTable(ConnectorSession session, ConnectorTableHandle table) {
    Optional<Pin> pin = own(table);
    if (pin.isPresent()) {
      publisher.truncate(logTable(pin.get()), session.getQueryId());
    } else {
      super.truncateTable(session, table);
    }
  }

  // Materialized views. By snapshots trino-iceberg tells whether one is fresh, and what to add to
  // it: wrong as long as rows wait in the log.

  @Override
  public void createMaterializedView(
      ConnectorSession session,
      SchemaTableName name,
      ConnectorMaterializedViewDefinition definition,
      Map<String, Object> properties,
      boolean replace,
      boolean ignoreExisting) {
    throw new TrinoException(
        StandardErrorCode.NOT_SUPPORTED,
        "This connector does not support creating materialized views");
  }

  @Override
  public ConnectorInsertTableHandle beginRefreshMaterializedView(
      ConnectorSession session,
      ConnectorTableHandle table,
      List<ConnectorTableHandle> sources,
      boolean hasForeignSources,
      RetryMode retries,
      RefreshType type) {
    throw new TrinoException(
        StandardErrorCode.NOT_SUPPORTED,
        "This connector does not support refreshing materialized views");
  }

  /// Those that another catalog made over the same tables may be older than their snapshots tell.
  @Override
  public MaterializedViewFreshness getMaterializedViewFreshness(
      ConnectorSession session, SchemaTableName name, boolean considerGracePeriod) {
    MaterializedViewFreshness files =
        super.getMaterializedViewFreshness(session, name, considerGracePeriod);
    return files.getFreshness() == MaterializedViewFreshness.Freshness.FRESH
        ? new MaterializedViewFreshness(
            MaterializedViewFreshness.Freshness.UNKNOWN, files.getLastKnownFreshTime())
        : files;
  }

  // Tables. Those in format version 3 are icewal's from the beginning.

  @Override
  public void createTable(
      ConnectorSession session, ConnectorTableMetadata table, SaveMode saveMode) {
    if (!TableProperties.isOwn(table)) {
      refuseKey(table);
      super.createTable(session, table, saveMode);
      return;
    }
    creation(session, table, saveMode == SaveMode.REPLACE).commit(List.of());
  }

  private static void refuseKey(ConnectorTableMetadata table) {
    if (!TableProperties.primaryKey(table.getProperties()).isEmpty()) {
      throw new TrinoException(
          StandardErrorCode.INVALID_TABLE_PROPERTY, "primary_key needs format_version = 3");
    }
  }

  private TableCreation creation(
      ConnectorSession session, ConnectorTableMetadata table, boolean replace) {
    SchemaTableName name = table.getTable();
    if (!schemaExists(session, name.getSchemaName())) {
      throw new SchemaNotFoundException(name.getSchemaName());
    }
    boolean replaces =
        replace && super.getTableHandle(session, name, Optional.empty(), Optional.empty()) != null;
    return TableCreation.begin(
        session, table, replaces ? services.load(session, name) : null, services, warehouse);
  }

  @Override
  public Optional<ConnectorTableLayout> getNewTableLayout(
      ConnectorSession session, ConnectorTableMetadata table) {
    return TableProperties.isOwn(table)
        ? Optional.empty()
        : super.getNewTableLayout(session, table);
  }

  @Override
  public ConnectorOutputTableHandle beginCreateTable(
      ConnectorSession session,
      ConnectorTableMetadata table,
      Optional<ConnectorTableLayout> layout,
      RetryMode retries,
      boolean replace) {
    if (!TableProperties.isOwn(table)) {
      refuseKey(table);
      return super.beginCreateTable(session, table, layout, retries, replace);
    }
    TableCreation begun = creation(session, table, replace);
    creation = begun;
    return new CreateHandle(begun.logTable());
  }

  @Override
  public Optional<ConnectorOutputMetadata> finishCreateTable(
      ConnectorSession session,
      ConnectorOutputTableHandle table,
      Collection<Slice> fragments,
      Collection<ComputedStatistics> statistics) {
    if (!(table instanceof CreateHandle)) {
      return super.finishCreateTable(session, table, fragments, statistics);
    }
    Objects.requireNonNull(creation).commit(Publisher.staged(fragments));
    return Optional.empty();
  }

  /// With its key, as SHOW CREATE TABLE tells it.
  @Override
  public ConnectorTableMetadata getTableMetadata(
      ConnectorSession session, ConnectorTableHandle table) {
    ConnectorTableMetadata stock = super.getTableMetadata(session, table);
    if (keyed(table).isEmpty()) {
      return stock;
    }
    Schema schema = SchemaParser.fromJson(((IcebergTableHandle) table).getTableSchemaJson());
    Map<String, Object> properties = new LinkedHashMap<>(stock.getProperties());
    properties.put(
        TableProperties.PRIMARY_KEY,
        KeyColumns.of(schema).fieldIds().stream().map(schema::findColumnName).toList());
    return new ConnectorTableMetadata(
        stock.getTable(),
        stock.getColumns(),
        properties,
        stock.getComment(),
        stock.getCheckConstraints());
  }
}
