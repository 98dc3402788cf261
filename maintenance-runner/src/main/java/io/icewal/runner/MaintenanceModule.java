package io.icewal.runner;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.OptionalBinder;
import io.icewal.config.IcewalConfig;
import io.icewal.flight.LogReaders;
import io.icewal.flight.Resources;
import io.icewal.flight.TableFaults;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.MaterializePolicy;
import io.icewal.materialize.Materializer;
import io.icewal.model.LogName;
import io.icewal.table.IcewalTables;
import io.icewal.tail.TailReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.TrimLimits;
import io.icewal.wal.WalTrimmer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;
import org.apache.arrow.memory.BufferAllocator;

/// The maintenance loop; needs `WarehouseModule` beside it.
public final class MaintenanceModule extends AbstractModule {
  /// A cycle takes about four times the bytes that it reads.
  private static final int MEMORY_OF_CYCLE = 4;

  /// Tables that are loaded to find one whose name is gone: some seconds with a catalog far away.
  private static final int SEARCHED_TABLES_MAX = 1000;

  @Override
  protected void configure() {
    bind(Faults.class).in(Singleton.class);
    OptionalBinder.newOptionalBinder(binder(), TableFaults.class).setBinding().to(Faults.class);
  }

  @Provides
  @Singleton
  MaintenancePolicy policy(IcewalConfig config) {
    TrimLimits standard = TrimLimits.DEFAULTS;
    Duration grace = config.log().grace();
    TrimLimits trim =
        new TrimLimits(
            grace,
            standard.segmentsDue(),
            standard.ageDue(),
            standard.holdBackMax(),
            standard.summariesKept(),
            standard.producerIdle(),
            standard.parkedObjectBytesMax());
    MaterializePolicy materialize = MaintenancePolicy.materialize(config.materialize());
    return MaintenancePolicy.of(materialize, trim);
  }

  @Provides
  @Singleton
  Materializer materializer(
      IcewalConfig config,
      IcewalTables tables,
      TailReader tails,
      BufferAllocator allocator,
      RandomGenerator random,
      Resources resources) {
    MaterializeConfig standard = MaterializeConfig.defaults();
    MaterializeConfig bounds =
        new MaterializeConfig(
            config.materialize().memoryBytesMax() / MEMORY_OF_CYCLE,
            standard.attemptsMax(),
            standard.spillFolder());
    BufferAllocator cycles =
        resources.add(allocator.newChildAllocator("materialize", 0, Long.MAX_VALUE));
    return new Materializer(tables, tails, bounds, cycles, random);
  }

  @Provides
  @Singleton
  Reconciler reconciler(
      LogRoot root,
      LogReaders readers,
      Materializer materializer,
      IcewalTables tables,
      MaintenancePolicy policy,
      Faults faults,
      RandomGenerator random,
      InstantSource clock,
      ExecutorService executor) {
    Map<LogName, WalTrimmer> trimmers = new LinkedHashMap<>();
    for (LogName log : root.all()) {
      trimmers.put(log, new WalTrimmer(root, log, random, policy.trim(), executor));
    }
    List<LogView> views =
        root.all().stream().map(log -> new LogView(readers.of(log), policy)).toList();
    MaterializerCycle cycle = new MaterializerCycle(materializer, tables, SEARCHED_TABLES_MAX);
    return new Reconciler(views, trimmers, cycle, policy, faults, clock);
  }

  @Provides
  @Singleton
  MaintenanceLoop loop(Reconciler reconciler) {
    return new MaintenanceLoop(reconciler);
  }

  @Provides
  @Singleton
  CatchUp catchUp(
      Reconciler reconciler, Faults faults, MaintenancePolicy policy, InstantSource clock) {
    return new CatchUp(reconciler, faults, policy, clock);
  }
}
