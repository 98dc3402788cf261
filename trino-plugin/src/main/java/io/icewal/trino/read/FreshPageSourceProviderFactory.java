package io.icewal.trino.read;

import io.icewal.read.HiddenRowsCache;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;

/// Makes a provider for each scan. Thread-safe.
public final class FreshPageSourceProviderFactory implements ConnectorPageSourceProviderFactory {
  private final ConnectorPageSourceProviderFactory stock;
  private final Warehouse warehouse;
  private final StockServices services;
  private final HiddenRowsCache hiddenRows = new HiddenRowsCache();

  public FreshPageSourceProviderFactory(
      ConnectorPageSourceProviderFactory stock, Warehouse warehouse, StockServices services) {
    this.stock = stock;
    this.warehouse = warehouse;
    this.services = services;
  }

  @Override
  public ConnectorPageSourceProvider createPageSourceProvider() {
    return new FreshPageSourceProvider(
        stock.createPageSourceProvider(), warehouse, services, hiddenRows);
  }
}
