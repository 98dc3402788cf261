package io.icewal.spark.services;

import io.icewal.config.IcewalConfig;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.parquet.KeyPageCache;
import io.icewal.statement.StatementPublisher;
import io.icewal.storage.ObjectStore;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/// The log of a warehouse, with its readers and their caches. Thread-safe.
///
/// Spark gives executors nothing that is opened and closed with them, so there is one of a
/// warehouse in each JVM ([#of]), opened at first use and left to the end of the process.
public final class Warehouse {
  /// Requests to the store at a time.
  private static final int THREADS = 16;

  private static final Map<WarehouseSettings, Warehouse> OPEN = new ConcurrentHashMap<>();

  private final WarehouseSettings settings;
  private final IcewalConfig config;
  private final LogRoot root;
  private final Map<LogName, LogReader> readers;
  private final TailReader tails;
  private final ExecutorService executor;
  private final RandomGenerator random = new SecureRandom();
  private final BufferAllocator allocator = new RootAllocator();
  private final KeyPageCache keyPages = new KeyPageCache();
  private final StatementPublisher statements;

  private Warehouse(WarehouseSettings settings, UnaryOperator<ObjectStore> wrap) {
    this.settings = settings;
    this.config = settings.config();
    this.executor =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "icewal");
              thread.setDaemon(true);
              return thread;
            });
    this.root =
        LogRoot.openOrCreate(wrap.apply(config.openLogStore()), config.log().countIfNew(), random);
    this.readers =
        root.all().stream()
            .collect(
                Collectors.toMap(
                    log -> log, log -> new LogReader(root, log, executor, ReaderLimits.DEFAULTS)));
    this.tails = new TailReader(root, this::reader, TailLimits.DEFAULTS, Pause.REAL);
    this.statements = new StatementPublisher("spark", this::newWriter, this::reader, allocator);
  }

  private WalWriter newWriter(LogName log) {
    return new WalWriter(
        root,
        log,
        random,
        Clock.systemUTC(),
        /* flightAddress= */ null,
        WriterLimits.DEFAULTS,
        executor,
        Pause.REAL);
  }

  /// The warehouse in this JVM. Makes the log if there is none.
  public static Warehouse of(WarehouseSettings settings) {
    return of(settings, UnaryOperator.identity());
  }

  /// @param wrap put around the log's store, if the warehouse is not open yet
  public static Warehouse of(WarehouseSettings settings, UnaryOperator<ObjectStore> wrap) {
    return OPEN.computeIfAbsent(settings, key -> new Warehouse(key, wrap));
  }

  public WarehouseSettings settings() {
    return settings;
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

  /// Appends what statements wrote: on the driver.
  public StatementPublisher statements() {
    return statements;
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
}
