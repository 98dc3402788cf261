package io.icewal.flight;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.icewal.config.IcewalConfig;
import io.icewal.read.ScanServices;
import io.icewal.storage.ObjectStore;
import io.icewal.table.IcewalTables;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.catalog.Catalog;

/// What every service of a warehouse needs, from its one configuration: catalog, log, memory, the
/// readers of both. One of each in a process; [Resources] closes them.
public final class WarehouseModule extends AbstractModule {
  private final IcewalConfig config;

  public WarehouseModule(IcewalConfig config) {
    this.config = config;
  }

  @Override
  protected void configure() {
    bind(IcewalConfig.class).toInstance(config);
    bind(InstantSource.class).toInstance(Clock.systemUTC());
    bind(RandomGenerator.class).toInstance(new SecureRandom());
  }

  @Provides
  @Singleton
  Resources resources() {
    return new Resources();
  }

  @Provides
  @Singleton
  BufferAllocator allocator(Resources resources) {
    return resources.add(new RootAllocator());
  }

  /// Threads for requests to the store and for calls; idle ones end.
  @Provides
  @Singleton
  ExecutorService executor(Resources resources) {
    AtomicInteger number = new AtomicInteger();
    ExecutorService executor =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "icewal-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    resources.add((AutoCloseable) executor::shutdownNow);
    return executor;
  }

  @Provides
  @Singleton
  Catalog catalog(Resources resources) {
    return resources.add(config.openCatalog());
  }

  @Provides
  @Singleton
  ObjectStore store(Resources resources) {
    return resources.add(config.openLogStore());
  }

  @Provides
  @Singleton
  LogRoot root(ObjectStore store, RandomGenerator random) {
    return LogRoot.openOrCreate(store, config.log().countIfNew(), random);
  }

  @Provides
  @Singleton
  LogReaders readers(LogRoot root, ExecutorService executor) {
    return new LogReaders(root, executor);
  }

  @Provides
  @Singleton
  TailReader tails(LogRoot root, LogReaders readers) {
    return new TailReader(root, readers::of, TailLimits.DEFAULTS, Pause.REAL);
  }

  @Provides
  @Singleton
  IcewalTables tables(Catalog catalog) {
    return new IcewalTables(catalog);
  }

  @Provides
  @Singleton
  ScanServices scans(IcewalTables tables, TailReader tails) {
    return new ScanServices(tables::load, tails, /* planner= */ null);
  }
}
