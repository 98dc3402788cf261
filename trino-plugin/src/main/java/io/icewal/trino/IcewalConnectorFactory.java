package io.icewal.trino;

import io.icewal.model.IcewalException;
import io.icewal.storage.ObjectStore;
import io.icewal.trino.services.IcewalErrorCode;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.trino.plugin.iceberg.IcebergConnectorFactory;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorFactory;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.iceberg.catalog.Catalog;

/// Makes connectors `icewal`.
final class IcewalConnectorFactory implements ConnectorFactory {
  private final Function<ObjectStore, ObjectStore> wrapStore;

  IcewalConnectorFactory() {
    this(store -> store);
  }

  /// @param wrapStore put around the log's store
  IcewalConnectorFactory(Function<ObjectStore, ObjectStore> wrapStore) {
    this.wrapStore = wrapStore;
  }

  @Override
  public String getName() {
    return "icewal";
  }

  @Override
  public Connector create(
      String catalogName, Map<String, String> properties, ConnectorContext context) {
    try (ThreadContextClassLoader ignored =
        new ThreadContextClassLoader(IcewalConnectorFactory.class.getClassLoader())) {
      return open(catalogName, CatalogSettings.of(properties), context);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  private Connector open(String catalogName, CatalogSettings settings, ConnectorContext context) {
    StockServices services = new StockServices();
    Connector stock =
        IcebergConnectorFactory.createConnector(
            catalogName,
            settings.stock(),
            context,
            binder -> binder.requestInjection(services),
            Optional.empty());
    try {
      createCatalogTables(settings);
      Warehouse warehouse = Warehouse.open(settings.warehouse(), wrapStore);
      return new IcewalConnector(stock, services, warehouse);
    } catch (RuntimeException | Error e) {
      stock.shutdown();
      throw e;
    }
  }

  /// Trino never makes the tables of a JDBC catalog; Iceberg's own catalog does when it is opened.
  private static void createCatalogTables(CatalogSettings settings) {
    if (!"jdbc".equals(settings.warehouse().catalogProperties().get("type"))) {
      return;
    }
    Catalog catalog = settings.warehouse().openCatalog();
    if (catalog instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot close catalog " + catalog.name(), e);
      }
    }
  }
}
