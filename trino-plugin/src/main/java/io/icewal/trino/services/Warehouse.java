package io.icewal.trino.services;

import io.icewal.config.IcewalConfig;
import io.icewal.engine.EngineLog;
import io.icewal.model.IcewalException;
import io.icewal.storage.ObjectStore;
import io.icewal.table.IcewalTables;
import io.icewal.table.ManifestCache;
import io.trino.spi.classloader.ThreadContextClassLoader;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.catalog.Catalog;

/// The log of a catalog's warehouse, with its readers and their caches: one for a catalog on each
/// node. Thread-safe. Owns what it opens.
public final class Warehouse extends EngineLog {
  private final IcewalConfig config;
  private final ManifestCache manifests = new ManifestCache();

  private Warehouse(IcewalConfig config, Function<ObjectStore, ObjectStore> wrap) {
    super(
        "trino",
        wrap.apply(config.openLogStore()),
        config.log().countIfNew(),
        Executors.newVirtualThreadPerTaskExecutor(),
        new SecureRandom(),
        Clock.systemUTC(),
        new RootAllocator());
    this.config = config;
  }

  /// Opens the log, and makes it if there is none.
  ///
  /// @param wrap put around the log's store
  public static Warehouse open(IcewalConfig config, Function<ObjectStore, ObjectStore> wrap) {
    return new Warehouse(config, wrap);
  }

  public IcewalConfig config() {
    return config;
  }

  /// Entries of manifests that were read lately.
  public ManifestCache manifests() {
    return manifests;
  }

  /// Works with the catalog's tables as they are now.
  public void withTables(Consumer<IcewalTables> work) {
    try (ThreadContextClassLoader ignored =
        new ThreadContextClassLoader(Warehouse.class.getClassLoader())) {
      Catalog catalog = config.openCatalog();
      try {
        work.accept(new IcewalTables(catalog));
      } finally {
        if (catalog instanceof Closeable closeable) {
          closeable.close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the catalog", e);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }
}
