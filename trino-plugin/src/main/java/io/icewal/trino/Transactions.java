package io.icewal.trino;

import io.icewal.trino.read.Pins;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.transaction.IsolationLevel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// What running transactions have pinned, and the transactions of trino-iceberg within them.
/// Thread-safe.
final class Transactions {
  private final Connector connector;
  private final Warehouse warehouse;
  private final StockServices stock;
  private final Map<ConnectorTransactionHandle, Pins> running = new ConcurrentHashMap<>();
  private final Map<ConnectorTransactionHandle, ConnectorTransactionHandle> inner =
      new ConcurrentHashMap<>();

  /// @param connector trino-iceberg's
  Transactions(Connector connector, Warehouse warehouse, StockServices stock) {
    this.connector = connector;
    this.warehouse = warehouse;
    this.stock = stock;
  }

  Pins pins(ConnectorTransactionHandle transaction) {
    return running.computeIfAbsent(transaction, key -> new Pins(warehouse, stock));
  }

  /// The transaction of trino-iceberg within another one: its tables are loaded anew. It ends with
  /// the other one.
  ConnectorTransactionHandle inner(ConnectorTransactionHandle outer) {
    return inner.computeIfAbsent(
        outer, key -> connector.beginTransaction(IsolationLevel.READ_UNCOMMITTED, false, true));
  }

  void commit(ConnectorTransactionHandle transaction) {
    end(transaction, connector::commit);
  }

  void rollback(ConnectorTransactionHandle transaction) {
    end(transaction, connector::rollback);
  }

  private void end(
      ConnectorTransactionHandle transaction, Consumer<ConnectorTransactionHandle> how) {
    running.remove(transaction);
    ConnectorTransactionHandle within = inner.remove(transaction);
    try {
      if (within != null) {
        how.accept(within);
      }
    } finally {
      how.accept(transaction);
    }
  }

  /// How many have pinned something.
  int size() {
    return running.size();
  }
}
