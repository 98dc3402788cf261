package io.icewal.sim;

import io.icewal.ingest.GroupCommit;
import io.icewal.ingest.GroupCommitLimits;
import io.icewal.model.LogName;
import io.icewal.model.RowBatch;
import io.icewal.table.TablePosition;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import io.icewal.wal.Pause;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WeakenedWal;
import io.icewal.wal.WriterLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.NoSuchTableException;

/// The ingestors of a run.
final class Writers {
  private final World world;
  private final Variant variant;

  Writers(World world, Variant variant) {
    this.world = world;
    this.variant = variant;
  }

  /// An ingestor: one writer a log, which groups what clients send to it.
  void writer(int number) {
    RandomGenerator random = new Random(world.random.nextLong());
    Processes.run(
        world.schedule,
        () -> {
          disconnectAll(number);
          if (world.settings.ingestors()) {
            ingestorLife(number, random);
          } else {
            writerLife(number, random);
          }
        });
  }

  private void ingestorLife(int number, RandomGenerator random) {
    Map<LogName, GroupCommit> commits = new HashMap<>();
    for (int i = 0; i < world.settings.logs(); i++) {
      LogName log = world.root.log(i);
      commits.put(
          log,
          new GroupCommit(
              newWriter(number, log, random)::append,
              new GroupCommitLimits(1, World.turns(random.nextInt(40)), 1 << 20),
              world.clock));
    }
    try {
      IngestClients clients = new IngestClients(world, number, commits, random);
      while (!world.clientsDone()) {
        world.schedule.point("ingestor looks for work");
        if (random.nextInt(world.settings.writeOneIn()) == 0) {
          clients.send();
        }
        commits.values().forEach(GroupCommit::step);
        clients.hear();
      }
    } finally {
      commits.values().forEach(GroupCommit::close);
    }
  }

  private void writerLife(int number, RandomGenerator random) {
    Map<LogName, WalWriter> writers = new HashMap<>();
    Map<UUID, TableMetadata> known = new HashMap<>();
    while (!world.clientsDone()) {
      world.schedule.point("writer looks for work");
      LogName log = world.root.log(random.nextInt(world.settings.logs()));
      if (random.nextInt(world.settings.writeOneIn()) != 0) {
        continue;
      }
      List<Sent> group = collect(number, log, random);
      if (!group.isEmpty()) {
        WalWriter writer = writers.computeIfAbsent(log, name -> newWriter(number, name, random));
        try {
          append(writer, group, known, random);
        } catch (RuntimeException e) {
          Processes.tolerate(e);
          group.forEach(sent -> sent.client.disconnected(sent.stream));
        }
      }
    }
  }

  private WalWriter newWriter(int number, LogName log, RandomGenerator random) {
    WriterLimits limits =
        new WriterLimits(
            World.turns(2 + random.nextInt(world.settings.hazards().deadlineTurnsMax())),
            Duration.ofMillis(50),
            Duration.ofMillis(200),
            1L << 20);
    Pause pause = duration -> world.schedule.point("writer pauses");
    if (variant.weakens(Variant.Where.WRITER)) {
      UUID id = variant.name().equals("l05") ? new UUID(5, number) : world.randomId();
      return WeakenedWal.writer(
          world.root, log, random, world.clock, limits, pause, variant.name(), id);
    }
    return new WalWriter(world.root, log, random, world.clock, null, limits, Runnable::run, pause);
  }

  /// A batch and the connection it came on.
  private record Sent(Client client, int stream, Batch batch) {}

  private List<Sent> collect(int number, LogName log, RandomGenerator random) {
    List<Sent> group = new ArrayList<>();
    for (Client client : world.clients) {
      TableTruth table = client.batches().get(0).table;
      if (client.writer() == number && world.logOf(table).equals(log) && random.nextBoolean()) {
        for (Batch batch : client.send(1 + random.nextInt(3))) {
          group.add(new Sent(client, client.stream(), batch));
        }
      }
    }
    return group;
  }

  /// What a writer knows of a table is a while old, as in an ingestor.
  ///
  /// @return empty if the table is gone or was replaced: what is sent to it is refused
  private Optional<TableMetadata> known(
      TableTruth truth, Map<UUID, TableMetadata> cached, RandomGenerator random) {
    TableMetadata known = cached.get(truth.id);
    if (known != null && random.nextInt(world.settings.schemaOneIn()) != 0) {
      return Optional.of(known);
    }
    cached.remove(truth.id);
    Table table;
    try {
      table = world.catalog.loadTable(truth.name());
    } catch (NoSuchTableException e) {
      return Optional.empty();
    }
    if (!table.uuid().equals(truth.id) || TablePosition.isReplaced(table)) {
      return Optional.empty();
    }
    cached.put(truth.id, TableTruth.metadata(table));
    return Optional.of(TableTruth.metadata(table));
  }

  private void append(
      WalWriter writer, List<Sent> group, Map<UUID, TableMetadata> known, RandomGenerator random) {
    List<AppendBatch> batches = new ArrayList<>();
    List<Sent> accepted = new ArrayList<>();
    Set<Client> refused = new HashSet<>();
    try {
      for (Sent sent : group) {
        Optional<TableMetadata> table = known(sent.batch.table, known, random);
        if (table.isPresent() && !refused.contains(sent.client)) {
          batches.add(sent.batch.toAppend(table.get(), world.allocator));
          accepted.add(sent);
        } else if (refused.add(sent.client)) {
          sent.client.refused(sent.stream, sent.batch.table.exists());
        }
      }
      List<AppendOutcome> outcomes = writer.append(batches);
      for (int i = 0; i < accepted.size(); i++) {
        answer(accepted.get(i), outcomes.get(i));
      }
    } finally {
      for (AppendBatch batch : batches) {
        RowBatch rows = batch.rows();
        if (rows != null) {
          rows.close();
        }
      }
    }
  }

  private void answer(Sent sent, AppendOutcome outcome) {
    if (outcome instanceof AppendOutcome.Appended appended) {
      world.acked(appended.position());
      sent.client.acked(sent.batch, sent.stream);
    } else if (outcome instanceof AppendOutcome.Repeat repeat) {
      world.acked(repeat.knownEnd());
      sent.client.acked(sent.batch, sent.stream);
    } else if (outcome instanceof AppendOutcome.Refused refused) {
      throw new AssertionError("refused: " + refused.error(), refused.error());
    } else {
      sent.client.disconnected(sent.stream);
    }
  }

  private void disconnectAll(int number) {
    for (Client client : world.clients) {
      if (client.writer() == number) {
        client.disconnected(client.stream());
      }
    }
  }
}
