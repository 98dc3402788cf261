package io.icewal.trino;

import io.airlift.slice.Slice;
import io.icewal.engine.Materialization;
import io.icewal.table.TablePosition;
import io.icewal.tail.Tail;
import io.icewal.trino.read.InFiles;
import io.icewal.trino.read.Pin;
import io.icewal.trino.read.Pins;
import io.icewal.trino.services.Warehouse;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.statistics.ComputedStatistics;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// UPDATE, DELETE and MERGE on a table without a key, some of whose rows are in the log only: such
/// rows have no name by which the log could say that they are gone.
///
/// 1. What was in the log when the statement was planned is materialized.
/// 2. The table is loaded again, in a transaction of trino-iceberg of its own, and all scans of the
///    statement read that version.
/// 3. The rest is trino-iceberg's: it changes files, and its commit fails if rows that the
///    statement would have had to see came into the table meanwhile. Rows that came into the log
///    only come after the statement.
///
/// One for a transaction; used by one thread at a time.
final class KeylessMerge {
  private final Connector stock;
  private final Supplier<ConnectorTransactionHandle> innerTransaction;
  private final Warehouse warehouse;
  private @Nullable ConnectorMetadata metadata;
  private @Nullable InFiles version;

  /// @param innerTransaction of trino-iceberg, ends with the one that this is for
  KeylessMerge(
      Connector stock, Supplier<ConnectorTransactionHandle> innerTransaction, Warehouse warehouse) {
    this.stock = stock;
    this.innerTransaction = innerTransaction;
    this.warehouse = warehouse;
  }

  /// @param planned the target as the statement scans it
  /// @param pin how it was pinned
  /// @param pins learn which version is read in its place
  ConnectorMergeTableHandle begin(
      ConnectorSession session,
      IcebergTableHandle planned,
      Pin pin,
      Pins pins,
      Map<Integer, Collection<ColumnHandle>> updateCases,
      RetryMode retries) {
    materialize(pin.handle().getSchemaTableName(), pin);
    ConnectorTransactionHandle transaction = innerTransaction.get();
    ConnectorMetadata inner = stock.getMetadata(session, transaction);
    InFiles loaded = new InFiles(transaction, load(session, inner, pin));
    ConnectorMergeTableHandle begun =
        inner.beginMerge(session, loaded.inPlaceOf(planned), updateCases, retries);
    pins.readInFiles(loaded);
    metadata = inner;
    version = loaded;
    return begun;
  }

  private void materialize(SchemaTableName name, Pin pin) {
    Materialization materialization = new Materialization(warehouse);
    warehouse.withTables(
        tables ->
            materialization.run(
                tables,
                TableIdentifier.of(Namespace.of(name.getSchemaName()), name.getTableName()),
                pin.table().uuid()));
  }

  /// The table now. All that the pin has read of the log is in its files.
  private static IcebergTableHandle load(
      ConnectorSession session, ConnectorMetadata inner, Pin pin) {
    SchemaTableName name = pin.handle().getSchemaTableName();
    ConnectorTableHandle table =
        inner.getTableHandle(session, name, Optional.empty(), Optional.empty());
    if (!(table instanceof IcebergTableHandle handle) || !isPast(handle, pin)) {
      throw new TrinoException(
          StandardErrorCode.TRANSACTION_CONFLICT,
          "table "
              + name
              + " was replaced while its rows were taken out of the log for the statement: run it"
              + " again");
    }
    return handle;
  }

  private static boolean isPast(IcebergTableHandle handle, Pin pin) {
    String property = handle.getStorageProperties().get(TablePosition.PROPERTY);
    if (property == null || handle.getSnapshotId().isEmpty()) {
      return false;
    }
    TablePosition now = TablePosition.parse(property);
    Tail read = Objects.requireNonNull(pin.tail());
    return now.tableId().equals(pin.table().uuid())
        && now.position().log().equals(read.end().log())
        && read.blocks().stream().allMatch(block -> block.number() <= now.position().number());
  }

  boolean isBegun() {
    return metadata != null;
  }

  /// What knows the version that a handle is of, if it is the one that this has made.
  Optional<ConnectorMetadata> metadataOf(ConnectorTableHandle table) {
    InFiles made = version;
    return made != null
            && table instanceof IcebergTableHandle handle
            && handle.getSchemaTableName().equals(made.handle().getSchemaTableName())
            && handle.getSnapshotId().equals(made.handle().getSnapshotId())
        ? Optional.ofNullable(metadata)
        : Optional.empty();
  }

  void finish(
      ConnectorSession session,
      ConnectorMergeTableHandle merge,
      List<ConnectorTableHandle> sources,
      Collection<Slice> fragments,
      Collection<ComputedStatistics> statistics) {
    Objects.requireNonNull(metadata).finishMerge(session, merge, sources, fragments, statistics);
  }
}
