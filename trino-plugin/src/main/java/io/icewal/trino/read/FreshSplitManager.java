package io.icewal.trino.read;

import io.icewal.trino.services.Warehouse;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Plans splits: trino-iceberg's own, and those of the tail. Thread-safe.
public final class FreshSplitManager implements ConnectorSplitManager {
  private final ConnectorSplitManager stock;
  private final Function<ConnectorTransactionHandle, Pins> pins;
  private final Warehouse warehouse;

  public FreshSplitManager(
      ConnectorSplitManager stock,
      Function<ConnectorTransactionHandle, Pins> pins,
      Warehouse warehouse) {
    this.stock = stock;
    this.pins = pins;
    this.warehouse = warehouse;
  }

  @Override
  public ConnectorSplitSource getSplits(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorTableHandle table,
      Set<ColumnHandle> dynamicFilterColumns,
      Constraint constraint) {
    if (!(table instanceof IcebergTableHandle handle)) {
      return stock.getSplits(transaction, session, table, dynamicFilterColumns, constraint);
    }
    Pins pinned = pins.apply(transaction);
    Optional<InFiles> inFiles = pinned.inFiles(handle.getSchemaTableName());
    if (inFiles.isPresent()) {
      return stock.getSplits(
          inFiles.get().transaction(),
          session,
          inFiles.get().inPlaceOf(handle),
          dynamicFilterColumns,
          constraint);
    }
    Optional<Pin> pin = pinned.find(handle);
    Set<Integer> promoted = pin.map(Pin::promoted).orElse(Set.of());
    ConnectorSplitSource files =
        promoted.isEmpty()
            ? stock.getSplits(transaction, session, handle, dynamicFilterColumns, constraint)
            : stock.getSplits(
                transaction,
                session,
                Handles.without(handle, promoted),
                without(dynamicFilterColumns, promoted),
                constraint);
    return pin.isPresent() && !readsFilesOnly(handle)
        ? new FreshSplitSource(files, pin.get(), WantedKeys.of(handle), warehouse.executor())
        : files;
  }

  /// trino-iceberg takes the bounds of a file's column for values of the type that the column has
  /// in the snapshot, and compares them with those of its type now.
  private static Set<ColumnHandle> without(Set<ColumnHandle> columns, Set<Integer> promoted) {
    return columns.stream()
        .filter(column -> !promoted.contains(((IcebergColumnHandle) column).getId()))
        .collect(Collectors.toSet());
  }

  /// OPTIMIZE rewrites files and ANALYZE looks at them: the tail is none of their business.
  private static boolean readsFilesOnly(IcebergTableHandle handle) {
    return handle.isRecordScannedFiles() || handle.getForAnalyze().orElse(false);
  }

  @Override
  public ConnectorSplitSource getSplits(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorTableFunctionHandle function) {
    return stock.getSplits(transaction, session, function);
  }
}
