package io.icewal.spark.services;

import io.icewal.config.IcewalConfig;
import io.icewal.engine.EngineLog;
import io.icewal.read.HiddenRowsCache;
import io.icewal.storage.ObjectStore;
import io.icewal.table.ManifestCache;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.apache.arrow.memory.RootAllocator;

/// The log of a warehouse, with its readers and their caches. Thread-safe.
///
/// Spark gives executors nothing that is opened and closed with them, so there is one of a
/// warehouse in each JVM ([#of]), opened at first use and left to the end of the process.
public final class Warehouse extends EngineLog {
  /// Requests to the store at a time.
  private static final int THREADS = 16;

  private static final Map<WarehouseSettings, Warehouse> OPEN = new ConcurrentHashMap<>();

  private final WarehouseSettings settings;
  private final ManifestCache manifests = new ManifestCache();
  private final IcewalConfig config;
  private final HiddenRowsCache hiddenRows = new HiddenRowsCache();

  private Warehouse(
      WarehouseSettings settings, IcewalConfig config, UnaryOperator<ObjectStore> wrap) {
    super(
        "spark",
        wrap.apply(config.openLogStore()),
        config.log().countIfNew(),
        Executors.newFixedThreadPool(THREADS, Warehouse::daemon),
        new SecureRandom(),
        Clock.systemUTC(),
        new RootAllocator());
    this.settings = settings;
    this.config = config;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "icewal");
    thread.setDaemon(true);
    return thread;
  }

  /// The warehouse in this JVM. Makes the log if there is none.
  public static Warehouse of(WarehouseSettings settings) {
    return of(settings, UnaryOperator.identity());
  }

  /// @param wrap put around the log's store, if the warehouse is not open yet
  public static Warehouse of(WarehouseSettings settings, UnaryOperator<ObjectStore> wrap) {
    return OPEN.computeIfAbsent(settings, key -> new Warehouse(key, key.config(), wrap));
  }

  /// Entries of manifests that were read lately.
  public ManifestCache manifests() {
    return manifests;
  }

  public WarehouseSettings settings() {
    return settings;
  }

  /// Where keys were found that queries have looked for lately.
  public HiddenRowsCache hiddenRows() {
    return hiddenRows;
  }

  public IcewalConfig config() {
    return config;
  }
}
