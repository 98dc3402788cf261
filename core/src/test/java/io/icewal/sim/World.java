package io.icewal.sim;

import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.ProducerSequence;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.table.IcewalTables;
import io.icewal.wal.LogRoot;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What all actors of one run share: the faulty store and catalog, the tables, the clients, the
/// clock, and the oracle that watches.
final class World implements AutoCloseable {
  /// Turns of the schedule in which a run must come to its end.
  private static final long STEPS_MAX = 400_000;

  private static final int CREATIONS_MAX = 200;

  final RandomGenerator random;
  final SimSettings settings;
  final Schedule schedule;
  final Faults faults;
  final SimStore store;
  final SimFileIO io;
  final SimCatalog catalog;
  final LogRoot root;
  final BufferAllocator allocator = new RootAllocator();
  final WrittenRows written = new WrittenRows();
  final LogTruth log = new LogTruth(allocator, written);
  final List<TableTruth> tables = new ArrayList<>();
  final List<Client> clients = new ArrayList<>();
  final InstantSource clock;
  private final Map<Integer, Long> acked = new java.util.HashMap<>();
  private long nextToken = 1;
  private boolean done;

  World(long seed) {
    SplittableRandom seeds = new SplittableRandom(seed);
    random = SimSettings.workload(seeds);
    settings = SimSettings.draw(random);
    schedule = new Schedule(new Random(seeds.nextLong()), STEPS_MAX, settings.hazards());
    faults = new Faults(new Random(seeds.nextLong()), settings.hazards());
    clock = () -> Instant.EPOCH.plus(turns(schedule.steps()));
    store = new SimStore(new MemoryObjectStore(clock), schedule, faults, log::landed);
    io = new SimFileIO(schedule, faults);
    catalog = new SimCatalog(io, schedule, faults, new Watch());
    root = LogRoot.openOrCreate(store, settings.logs(), random);
    for (int i = 0; i < settings.tables(); i++) {
      tables.add(create(TableShape.draw(random, "t" + i, i == 0 || random.nextInt(3) != 0)));
    }
    for (int i = 0; i < settings.clients(); i++) {
      clients.add(client(i, tables.get(random.nextInt(tables.size()))));
    }
  }

  /// Iceberg draws a table's UUID, and with it its log, by itself: it is created again until it
  /// falls into the log that the seed has drawn, so that a seed names one run.
  private TableTruth create(TableShape shape) {
    int wanted = random.nextInt(settings.logs());
    for (int attempt = 0; attempt < CREATIONS_MAX; attempt++) {
      TableTruth truth = createOnce(shape);
      if (logOf(truth).log() == wanted) {
        return truth;
      }
      catalog.dropTable(shape.identifier, false);
    }
    throw new AssertionError("no table fell into log " + wanted);
  }

  private TableTruth createOnce(TableShape shape) {
    TableTruth truth = createNow(shape);
    tables.remove(truth);
    return truth;
  }

  /// Creates a table; it is among [#tables] from then on, whether or not its commit has landed.
  private TableTruth createNow(TableShape shape) {
    TableTruth[] truth = new TableTruth[1];
    Map<String, String> hurry =
        Map.of("commit.retry.min-wait-ms", "1", "commit.retry.max-wait-ms", "2");
    Table table =
        new IcewalTables(catalog)
            .create(
                shape.identifier,
                shape.schema,
                shape.spec,
                hurry,
                id -> {
                  truth[0] = new TableTruth(shape, id, log, written, io);
                  log.addTable(id, shape);
                  tables.add(truth[0]);
                  return endOfLog(id);
                })
            .table();
    if (!table.schema().sameSchema(shape.schema)) {
      throw new AssertionError("catalog changed the schema to " + table.schema());
    }
    return truth[0];
  }

  Position endOfLog(UUID table) {
    LogName name = root.logOf(table);
    return name.at(log.end(name.log()));
  }

  /// Another table takes a name that is free again, and a client begins to write to it.
  void createAgain(TableIdentifier identifier) {
    TableShape shape = TableShape.draw(random, identifier.name(), random.nextBoolean());
    TableTruth created = createNow(shape);
    if (!clientsDone()) {
      clients.add(client(clients.size(), created));
    }
  }

  /// Tables that the catalog has.
  List<TableTruth> existing() {
    return tables.stream().filter(TableTruth::exists).toList();
  }

  /// One of the tables that the catalog has; null if it has none.
  @Nullable TableTruth anyTable(RandomGenerator chance) {
    List<TableTruth> existing = existing();
    return existing.isEmpty() ? null : existing.get(chance.nextInt(existing.size()));
  }

  private Client client(int number, TableTruth table) {
    boolean named = random.nextInt(100) >= settings.unnamedPercent();
    List<Batch> batches = new ArrayList<>();
    int count = 1 + random.nextInt(settings.batchesMax());
    for (int i = 0; i < count; i++) {
      ProducerSequence producer = named ? new ProducerSequence("p" + number, i) : null;
      batches.add(Batch.draw(random, table, producer, settings.rowsMax(), takeTokens()));
    }
    return new Client("c" + number, batches, named, settings.writers(), random);
  }

  /// How long so many turns take.
  static Duration turns(long turns) {
    return Duration.ofMillis(50 * turns);
  }

  /// The first of 64 tokens that nobody else has.
  long takeTokens() {
    nextToken += 64;
    return nextToken;
  }

  private final class Watch implements SimCatalog.Watcher {
    @Override
    public void committed(TableMetadata metadata) {
      String event = table(UUID.fromString(metadata.uuid())).committed(metadata);
      if (!event.isEmpty()) {
        faults.count(event);
      }
    }

    @Override
    public void renamed(TableIdentifier from, TableIdentifier to) {
      faults.count("table renamed");
      named(from).forEach(table -> table.renamed(to));
    }

    @Override
    public void dropped(TableIdentifier identifier) {
      named(identifier)
          .forEach(
              table -> {
                table.dropped();
                faults.count("table dropped");
              });
    }

    private List<TableTruth> named(TableIdentifier name) {
      return existing().stream().filter(table -> table.name().equals(name)).toList();
    }
  }

  LogName logOf(TableTruth table) {
    return root.logOf(table.id);
  }

  /// An answer said that everything up to here is durable.
  void acked(@Nullable Position position) {
    if (position != null) {
      acked.merge(position.log().log(), position.number(), Math::max);
    }
  }

  /// What a read that begins now must see at least, by log.
  Map<Integer, Long> acked() {
    return Map.copyOf(acked);
  }

  /// The table of a UUID.
  TableTruth table(UUID id) {
    return tables.stream()
        .filter(table -> table.id.equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nobody created table " + id));
  }

  /// Whether all clients have their answers; then the run ends, and no others come.
  boolean clientsDone() {
    done |= clients.stream().allMatch(Client::isDone);
    return done;
  }

  UUID randomId() {
    return new UUID(random.nextLong(), random.nextLong());
  }

  /// A process that dies does not give its memory back; without crashes all of it must be.
  @Override
  public void close() {
    if (schedule.crashes().isEmpty()) {
      allocator.close();
    }
  }
}
