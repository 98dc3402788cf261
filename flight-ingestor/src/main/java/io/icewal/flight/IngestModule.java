package io.icewal.flight;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.OptionalBinder;
import io.icewal.config.IcewalConfig;
import io.icewal.config.ServerSettings;
import io.icewal.ingest.GroupCommit;
import io.icewal.ingest.GroupCommitLimits;
import io.icewal.ingest.IngestLimits;
import io.icewal.ingest.Ingestor;
import io.icewal.ingest.TableSchemas;
import io.icewal.model.LogName;
import io.icewal.read.ScanServices;
import io.icewal.table.Adoption;
import io.icewal.table.IcewalTables;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;
import org.apache.arrow.memory.BufferAllocator;

/// The ingestor; needs [WarehouseModule] beside it. A process that also maintains tables sets the
/// binding of [TableFaults].
public final class IngestModule extends AbstractModule {
  @Override
  protected void configure() {
    OptionalBinder.newOptionalBinder(binder(), TableFaults.class)
        .setDefault()
        .to(NoTableFaults.class);
  }

  @Provides
  @Singleton
  Map<LogName, GroupCommit> commits(
      IcewalConfig config,
      LogRoot root,
      RandomGenerator random,
      InstantSource clock,
      ExecutorService executor) {
    ServerSettings server = config.server();
    GroupCommitLimits limits =
        new GroupCommitLimits(
            server.flushBytes(),
            server.flushInterval(),
            Math.max(server.flushBytes(), GroupCommitLimits.defaults().segmentBytesMax()));
    Map<LogName, GroupCommit> commits = new HashMap<>();
    for (LogName log : root.all()) {
      WalWriter writer =
          new WalWriter(
              root,
              log,
              random,
              clock,
              /* flightAddress= */ null,
              WriterLimits.DEFAULTS,
              executor,
              Pause.REAL);
      commits.put(log, new GroupCommit(writer::append, limits, clock));
    }
    return commits;
  }

  @Provides
  @Singleton
  TableSchemas schemas(IcewalTables tables, LogRoot root, InstantSource clock) {
    return new TableSchemas(new CatalogTableLoader(tables, root), clock);
  }

  @Provides
  @Singleton
  Ingestor ingestor(
      IcewalConfig config,
      LogRoot root,
      Map<LogName, GroupCommit> commits,
      TableSchemas schemas,
      BufferAllocator allocator,
      Resources resources) {
    IngestLimits standard = IngestLimits.defaults();
    long pendingBytesMax = config.server().memoryBytesMax();
    IngestLimits limits =
        new IngestLimits(
            pendingBytesMax,
            Math.min(standard.batchBytesMax(), pendingBytesMax),
            standard.batchRowsMax(),
            standard.admissionWait(),
            standard.retryAfter(),
            standard.verdictsMax());
    BufferAllocator rows = resources.add(allocator.newChildAllocator("ingest", 0, Long.MAX_VALUE));
    return new Ingestor(root, commits, schemas, limits, rows);
  }

  @Provides
  @Singleton
  IngestServer server(
      IcewalConfig config,
      Ingestor ingestor,
      Map<LogName, GroupCommit> commits,
      TableSchemas schemas,
      IcewalTables tables,
      LogReaders readers,
      ScanServices scans,
      TableFaults faults,
      InstantSource clock,
      BufferAllocator allocator,
      ExecutorService executor,
      Resources resources) {
    BufferAllocator reads = resources.add(allocator.newChildAllocator("reads", 0, Long.MAX_VALUE));
    IncomingLimits limits = IncomingLimits.of(ingestor.limits(), IncomingLimits.directBytesMax());
    BufferAllocator incoming =
        resources.add(allocator.newChildAllocator("incoming", 0, limits.taken()));
    LogEnds logEnds = new LogEnds(readers::ofTable);
    TableActions actions =
        new TableActions(
            tables,
            logEnds,
            schemas,
            ingestor,
            scans,
            reads,
            faults,
            clock,
            config::requireApartFromLog);
    AdoptAction adopt =
        new AdoptAction(
            tables,
            new Adoption(tables, reads, Path.of(System.getProperty("java.io.tmpdir", "."))),
            logEnds,
            schemas,
            config::requireApartFromLog);
    IngestProducer producer =
        new IngestProducer(new ReadStreams(scans, reads, executor), actions, adopt);
    return resources.add(
        new IngestServer(
            config.server(),
            limits,
            ingestor,
            producer,
            new LogThreads(commits),
            incoming,
            executor));
  }
}
