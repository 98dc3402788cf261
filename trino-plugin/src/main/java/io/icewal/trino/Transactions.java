package io.icewal.trino;

import io.icewal.trino.read.Pins;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What running transactions have pinned. Thread-safe.
final class Transactions {
  private final Warehouse warehouse;
  private final StockServices stock;
  private final Map<ConnectorTransactionHandle, Pins> running = new ConcurrentHashMap<>();

  Transactions(Warehouse warehouse, StockServices stock) {
    this.warehouse = warehouse;
    this.stock = stock;
  }

  Pins pins(ConnectorTransactionHandle transaction) {
    return running.computeIfAbsent(transaction, key -> new Pins(warehouse, stock));
  }

  void end(ConnectorTransactionHandle transaction) {
    running.remove(transaction);
  }

  /// How many have pinned something.
  int size() {
    return running.size();
  }
}
