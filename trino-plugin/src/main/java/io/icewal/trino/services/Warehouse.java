package io.icewal.trino.services;

import io.icewal.config.IcewalConfig;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.parquet.KeyPageCache;
import io.icewal.storage.ObjectStore;
import io.icewal.table.IcewalTables;
import io.icewal.table.ManifestCache;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import io.trino.spi.classloader.ThreadContextClassLoader;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.catalog.Catalog;

/// The log of a catalog's warehouse, with its readers and their caches: one for a catalog on each
/// node. Thread-safe. Owns what it opens.
public final class Warehouse implements AutoCloseable {
  private final IcewalConfig config;
  private final ObjectStore store;
  private final LogRoot root;
  private final Map<LogName, LogReader> readers;
  private final TailReader tails;
  private final ExecutorService executor;
  private final RandomGenerator random = new SecureRandom();
  private final BufferAllocator allocator = new RootAllocator();
  private final KeyPageCache keyPages = new KeyPageCache();
  private final ManifestCache manifests = new ManifestCache();

  private Warehouse(IcewalConfig config, Function<ObjectStore, ObjectStore> wrap) {
    this.config = config;
    this.store = wrap.apply(config.openLogStore());
    this.executor = Executors.newVirtualThreadPerTaskExecutor();
    this.root = LogRoot.openOrCreate(store, config.log().countIfNew(), random);
    this.readers =
        root.all().stream()
            .collect(
                Collectors.toMap(
                    log -> log, log -> new LogReader(root, log, executor, ReaderLimits.DEFAULTS)));
    this.tails = new TailReader(root, this::reader, TailLimits.DEFAULTS, Pause.REAL);
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

  public LogRoot root() {
    return root;
  }

  /// The reader of a log; the same one at each call.
  public LogReader reader(LogName log) {
    LogReader reader = readers.get(log);
    if (reader == null) {
      throw new IllegalArgumentException("log " + log + " is not of root " + root.root());
    }
    return reader;
  }

  /// The end of the log that a table belongs to: nothing of a table that is made now is before it.
  public Position logEnd(UUID table) {
    LogReader log = reader(root.logOf(table));
    return log.log().at(log.read(log.newestBoundary().number()).end());
  }

  public TailReader tails() {
    return tails;
  }

  /// Runs requests to the store.
  public ExecutorService executor() {
    return executor;
  }

  public RandomGenerator random() {
    return random;
  }

  public BufferAllocator allocator() {
    return allocator;
  }

  /// Keys of data files that were read lately.
  public KeyPageCache keyPages() {
    return keyPages;
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

  @Override
  public void close() {
    executor.shutdownNow();
    store.close();
  }
}
