package io.icewal.sim;

import io.icewal.ingest.BatchAnswer;
import io.icewal.ingest.GroupCommit;
import io.icewal.ingest.IngestLimits;
import io.icewal.ingest.IngestStream;
import io.icewal.ingest.IngestTable;
import io.icewal.ingest.Ingestor;
import io.icewal.ingest.StreamOptions;
import io.icewal.ingest.TableSchemas;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.table.TablePosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.jspecify.annotations.Nullable;

/// The clients of one ingestor's life: they send batches in Arrow, columns by name, by what they
/// know of their table, one at a time, and hear the answers.
final class IngestClients {
  private static final DictionaryProvider NO_DICTIONARIES =
      new DictionaryProvider.MapDictionaryProvider();

  private final World world;
  private final int number;
  private final RandomGenerator random;
  private final Ingestor ingestor;
  private final Map<UUID, TableMetadata> known = new HashMap<>();
  private final List<Pending> pending = new ArrayList<>();

  /// A batch that was sent on a connection, and where its answer will be.
  private record Pending(
      Client client, int stream, Batch batch, CompletableFuture<@Nullable Position> answer) {}

  IngestClients(
      World world, int number, Map<LogName, GroupCommit> commits, RandomGenerator random) {
    this.world = world;
    this.number = number;
    this.random = random;
    IngestLimits limits =
        new IngestLimits(1 << 20, 1 << 20, 1 << 10, Duration.ZERO, Duration.ZERO, 10);
    this.ingestor =
        new Ingestor(
            world.root,
            commits,
            new TableSchemas(this::load, world.clock),
            limits,
            world.allocator);
  }

  private IngestTable load(TableIdentifier name) {
    Table table = world.catalog.loadTable(name);
    TableMetadata metadata = TableTruth.metadata(table);
    return new IngestTable(
        table.uuid(),
        name,
        table.schema(),
        metadata.lastColumnId(),
        table.spec(),
        TablePosition.whyReplaced(table));
  }

  /// Some clients send their next batch.
  void send() {
    for (Client client : List.copyOf(world.clients)) {
      if (client.writer() == number && random.nextBoolean()) {
        for (Batch batch : client.send(1)) {
          send(client, client.stream(), batch);
        }
      }
    }
  }

  private void send(Client client, int stream, Batch batch) {
    try {
      pending.add(new Pending(client, stream, batch, send(batch)));
    } catch (NoSuchTableException e) {
      refused(client, stream, batch);
    } catch (IcewalException e) {
      if (e.kind() == ErrorKind.INVALID) {
        refused(client, stream, batch);
      } else {
        client.disconnected(stream);
      }
    } catch (RuntimeException e) {
      Processes.tolerate(e);
      client.disconnected(stream);
    }
  }

  private void refused(Client client, int stream, Batch batch) {
    known.remove(batch.table.id);
    client.refused(stream, batch.table.exists());
  }

  private CompletableFuture<@Nullable Position> send(Batch batch) {
    TableIdentifier name = batch.table.name();
    if (batch.kind == BlockKind.FLUSH || batch.kind == BlockKind.TRUNCATE) {
      batch.markOnly = true;
      return batch.kind == BlockKind.FLUSH ? ingestor.flush(name) : ingestor.truncate(name);
    }
    TableMetadata table = known(batch.table, name);
    String producer = batch.producer == null ? null : batch.producer.producer();
    long sequence = batch.producer == null ? 0 : batch.producer.sequence();
    StreamOptions.Op op =
        batch.table.shape.keyed ? StreamOptions.Op.COLUMN : StreamOptions.Op.UPSERT;
    try (VectorSchemaRoot rows = batch.toSend(table, random, world.allocator)) {
      IngestStream stream =
          ingestor.open(
              name,
              new StreamOptions(StreamOptions.Mode.REJECT, op, producer),
              rows.getSchema(),
              NO_DICTIONARIES);
      return stream.submit(rows, NO_DICTIONARIES, sequence).thenApply(IngestClients::position);
    }
  }

  private static @Nullable Position position(BatchAnswer answer) {
    if (answer.status() != BatchAnswer.Status.OK) {
      throw new IcewalException(ErrorKind.INVALID, "rejected: " + answer.verdicts());
    }
    return answer.position();
  }

  private TableMetadata known(TableTruth truth, TableIdentifier name) {
    TableMetadata before = known.get(truth.id);
    if (before != null && random.nextInt(world.settings.schemaOneIn()) != 0) {
      return before;
    }
    Table table = world.catalog.loadTable(name);
    if (!table.uuid().equals(truth.id)) {
      throw new NoSuchTableException("%s is another table now", name);
    }
    TableMetadata now = TableTruth.metadata(table);
    known.put(truth.id, now);
    return now;
  }

  /// Takes the answers that have come.
  void hear() {
    for (Pending sent : List.copyOf(pending)) {
      if (sent.answer.isDone()) {
        pending.remove(sent);
        hear(sent);
      }
    }
  }

  private void hear(Pending sent) {
    try {
      world.acked(sent.answer.join());
      world.faults.count("ingested batches");
      sent.client.acked(sent.batch, sent.stream);
    } catch (CompletionException e) {
      if (e.getCause() instanceof IcewalException failure && failure.kind() == ErrorKind.INVALID) {
        refused(sent.client, sent.stream, sent.batch);
      } else {
        sent.client.disconnected(sent.stream);
      }
    }
  }
}
