package io.icewal.engine;

import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.parquet.KeyPageCache;
import io.icewal.statement.EpochPublisher;
import io.icewal.statement.StatementPublisher;
import io.icewal.storage.ObjectStore;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.wal.EpochMarks;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;

/// The log of a warehouse as an engine uses it in one process: its readers with their caches, and
/// what publishes statements. Thread-safe. Owns the store, the executor and the allocator.
public abstract class EngineLog implements AutoCloseable {
  private final ObjectStore store;
  private final LogRoot root;
  private final Map<LogName, LogReader> readers;
  private final TailReader tails;
  private final StatementPublisher statements;
  private final EpochPublisher epochs;
  private final ExecutorService executor;
  private final RandomGenerator random;
  private final BufferAllocator allocator;
  private final KeyPageCache keyPages = new KeyPageCache();

  /// Opens the log, and makes it if there is none.
  ///
  /// @param engine comes before the ids of its statements
  /// @param logsIfNew the number of logs of a warehouse that has none
  /// @param executor runs requests to the store
  protected EngineLog(
      String engine,
      ObjectStore store,
      int logsIfNew,
      ExecutorService executor,
      RandomGenerator random,
      InstantSource clock,
      BufferAllocator allocator) {
    this.store = store;
    this.executor = executor;
    this.random = random;
    this.allocator = allocator;
    this.root = LogRoot.openOrCreate(store, logsIfNew, random);
    this.readers =
        root.all().stream()
            .collect(
                Collectors.toMap(
                    log -> log, log -> new LogReader(root, log, executor, ReaderLimits.DEFAULTS)));
    this.tails = new TailReader(root, this::reader, TailLimits.DEFAULTS, Pause.REAL);
    this.statements =
        new StatementPublisher(engine, log -> newWriter(log, clock), this::reader, allocator);
    this.epochs = new EpochPublisher(statements, log -> new EpochMarks(root, reader(log)));
  }

  private WalWriter newWriter(LogName log, InstantSource clock) {
    return new WalWriter(
        root,
        log,
        random,
        clock,
        /* flightAddress= */ null,
        WriterLimits.DEFAULTS,
        executor,
        Pause.REAL);
  }

  public final LogRoot root() {
    return root;
  }

  /// The reader of a log; the same one at each call.
  public final LogReader reader(LogName log) {
    LogReader reader = readers.get(log);
    if (reader == null) {
      throw new IllegalArgumentException("log " + log + " is not of root " + root.root());
    }
    return reader;
  }

  /// The end of the log that a table belongs to: nothing of a table that is made now is before it.
  public final Position logEnd(UUID table) {
    LogReader log = reader(root.logOf(table));
    return log.log().at(log.read(log.newestBoundary().number()).end());
  }

  public final TailReader tails() {
    return tails;
  }

  /// Appends what statements wrote: where their tasks are brought together.
  public final StatementPublisher statements() {
    return statements;
  }

  /// Appends what streams wrote, in the same place.
  public final EpochPublisher epochs() {
    return epochs;
  }

  /// Runs requests to the store.
  public final ExecutorService executor() {
    return executor;
  }

  public final RandomGenerator random() {
    return random;
  }

  public final BufferAllocator allocator() {
    return allocator;
  }

  /// Keys of data files that were read lately.
  public final KeyPageCache keyPages() {
    return keyPages;
  }

  @Override
  public void close() {
    executor.shutdownNow();
    store.close();
  }
}
