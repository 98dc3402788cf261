package io.icewal.sim;

import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.materialize.WeakenedMaterializer;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.RowBatch;
import io.icewal.read.FreshRows;
import io.icewal.read.FreshScan;
import io.icewal.read.Freshness;
import io.icewal.read.ScanRequest;
import io.icewal.read.ScanServices;
import io.icewal.table.IcewalTables;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.tail.WeakenedTail;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import io.icewal.wal.LogReader;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.TableBlocks;
import io.icewal.wal.TableState;
import io.icewal.wal.TrimLimits;
import io.icewal.wal.WalTrimmer;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WeakenedWal;
import io.icewal.wal.WriterLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitStateUnknownException;

/// The processes of one run. Each method is the body of one actor.
final class Actors {
  private final World world;
  private final Variant variant;
  private int reads;

  Actors(World world, Variant variant) {
    this.world = world;
    this.variant = variant;
  }

  int reads() {
    return reads;
  }

  /// An ingestor: one writer a log, which groups what clients send to it.
  void writer(int number) {
    RandomGenerator random = new Random(world.random.nextLong());
    Processes.run(world.schedule, () -> writerLife(number, random));
  }

  private void writerLife(int number, RandomGenerator random) {
    disconnectAll(number);
    Map<LogName, WalWriter> writers = new HashMap<>();
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
          append(writer, group);
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

  private void append(WalWriter writer, List<Sent> group) {
    List<AppendBatch> batches = new ArrayList<>();
    try {
      group.forEach(sent -> batches.add(sent.batch.toAppend(world.allocator)));
      List<AppendOutcome> outcomes = writer.append(batches);
      for (int i = 0; i < group.size(); i++) {
        answer(group.get(i), outcomes.get(i));
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

  /// Clients that lose patience, and the network, where requests travel.
  void network() {
    RandomGenerator random = new Random(world.random.nextLong());
    while (!world.clientsDone()) {
      world.schedule.point("network");
      if (random.nextInt(20) == 0) {
        world.faults.landOne();
      }
      if (random.nextInt(1000) < world.settings.hazards().impatiencePerMille()) {
        Client client = world.clients.get(random.nextInt(world.clients.size()));
        client.disconnected(client.stream());
      }
    }
  }

  /// A materializer of all tables.
  void materializer() {
    RandomGenerator random = new Random(world.random.nextLong());
    Processes.run(
        world.schedule,
        () -> {
          Materializer materializer = newMaterializer(random, random.nextInt(3) == 0 ? 1 : 1 << 20);
          while (!world.clientsDone()) {
            world.schedule.point("materializer waits");
            if (random.nextInt(world.settings.materializeOneIn()) == 0) {
              TableTruth table = world.tables.get(random.nextInt(world.tables.size()));
              materialize(materializer, table);
            }
          }
        });
  }

  private static void materialize(Materializer materializer, TableTruth table) {
    try {
      materializer.step(table.shape.identifier, table.id);
    } catch (CommitStateUnknownException e) {
      throw new AssertionError("nobody looked what became of a commit", e);
    }
  }

  private Materializer newMaterializer(RandomGenerator random, long cycleBytesMax) {
    MaterializeConfig config =
        new MaterializeConfig(cycleBytesMax, 3, Path.of(System.getProperty("java.io.tmpdir")));
    IcewalTables tables = new IcewalTables(world.catalog);
    return variant.weakens(Variant.Where.COMMIT)
        ? WeakenedMaterializer.without(
            variant.name(), tables, tails(), config, world.allocator, random)
        : new Materializer(tables, tails(), config, world.allocator, random);
  }

  /// Takes a table to the end of its log.
  void materializeAll(TableTruth table) {
    Materializer materializer = newMaterializer(new Random(1), 1 << 20);
    MaterializeResult result;
    do {
      result = materializer.step(table.shape.identifier, table.id);
    } while (result.status() == MaterializeResult.Status.COMMITTED);
    if (result.status() != MaterializeResult.Status.NOTHING_TO_DO) {
      throw new AssertionError("not at rest: " + result);
    }
  }

  /// A trimmer of all logs, which parks a table now and then.
  void trimmer() {
    RandomGenerator random = new Random(world.random.nextLong());
    Processes.run(
        world.schedule,
        () -> {
          Map<LogName, WalTrimmer> trimmers = new HashMap<>();
          while (!world.clientsDone()) {
            world.schedule.point("trimmer waits");
            if (random.nextInt(3) == 0) {
              LogName log = world.root.log(random.nextInt(world.settings.logs()));
              trim(trimmers.computeIfAbsent(log, name -> newTrimmer(name, random)), random);
            }
          }
        });
  }

  private WalTrimmer newTrimmer(LogName log, RandomGenerator random) {
    SimSettings.Trimming trimming = world.settings.trimming();
    TrimLimits limits =
        new TrimLimits(
            World.turns(random.nextInt(trimming.graceTurnsMax() + 1)),
            1,
            Duration.ZERO,
            1,
            1,
            trimming.idleTurns() == 0 ? Duration.ofHours(24) : World.turns(trimming.idleTurns()),
            1 << 20);
    return variant.weakens(Variant.Where.TRIMMER)
        ? WeakenedWal.trimmer(world.root, log, random, limits, variant.name())
        : new WalTrimmer(world.root, log, random, limits, Runnable::run);
  }

  private void trim(WalTrimmer trimmer, RandomGenerator random) {
    trimmer.trim(blocks -> state(blocks, random));
    if (random.nextInt(100) < world.settings.trimming().deletePercent()) {
      trimmer.deleteBelowBoundary();
    }
  }

  private TableState state(TableBlocks blocks, RandomGenerator random) {
    for (TableTruth truth : world.tables) {
      if (truth.id.equals(blocks.tableId())) {
        long position = position(world.catalog.loadTable(truth.shape.identifier));
        return random.nextInt(100) < world.settings.trimming().parkPercent()
            ? TableState.park(position)
            : TableState.at(position);
      }
    }
    throw new AssertionError("blocks of an unknown table: " + blocks.tableId());
  }

  private static long position(Table table) {
    String text = table.properties().get("icewal.position");
    return Position.parse(text.substring(0, text.indexOf(';'))).number();
  }

  /// A reader that checks what it reads.
  void reader() {
    RandomGenerator random = new Random(world.random.nextLong());
    Processes.run(
        world.schedule,
        () -> {
          TailReader tails = tails();
          while (!world.clientsDone()) {
            world.schedule.point("reader waits");
            if (random.nextInt(8) == 0) {
              TableTruth truth = world.tables.get(random.nextInt(world.tables.size()));
              read(truth, tails, random.nextInt(5) == 0 ? Freshness.NO_TAIL : Freshness.FRESH);
            }
          }
        });
  }

  /// Tails as one process reads them.
  TailReader tails() {
    Map<LogName, LogReader> readers = new HashMap<>();
    Function<LogName, LogReader> reader = name -> readers.computeIfAbsent(name, this::newReader);
    TailLimits limits = new TailLimits(8, Duration.ofMillis(50), 20, 1L << 20);
    Pause pause = duration -> world.schedule.point("reader pauses");
    return variant.weakens(Variant.Where.TAIL) && variant.name().equals("b12")
        ? WeakenedTail.tableFirst(world.root, reader, limits, pause)
        : new TailReader(world.root, reader, limits, pause);
  }

  private LogReader newReader(LogName log) {
    boolean weakened = variant.weakens(Variant.Where.TAIL) && !variant.name().equals("b12");
    return weakened
        ? WeakenedWal.reader(world.root, log, Runnable::run, ReaderLimits.DEFAULTS, variant.name())
        : new LogReader(world.root, log, Runnable::run, ReaderLimits.DEFAULTS);
  }

  /// One fresh scan, compared with the oracle.
  void read(TableTruth truth, TailReader tails, Freshness freshness) {
    long must = world.ackedIn(world.logOf(truth));
    ScanServices services = new ScanServices(world.catalog::loadTable, tails, null);
    ScanRequest request = ScanRequest.of(truth.shape.identifier).withFreshness(freshness);
    FreshScan scan = FreshScan.plan(request, services, world.allocator);
    TreeMap<Integer, List<Long>> seen = new TreeMap<>();
    try (FreshRows rows = scan.execute(world.allocator)) {
      while (rows.next()) {
        collect(truth, rows.root(), seen);
      }
    }
    seen.values().forEach(tokens -> tokens.sort(null));
    long position = scan.position().orElseThrow().number();
    long end = scan.end().orElseThrow().number();
    TableTruth.State state = truth.state(scan.snapshotId());
    if (position != state.position() || (freshness == Freshness.FRESH && end < must)) {
      throw new AssertionError(
          "scan at position "
              + position
              + " end "
              + end
              + ", snapshot's position is "
              + state.position()
              + ", acknowledged "
              + must);
    }
    truth.compare(
        "scan of " + scan.snapshotId() + " at " + position + " to " + end,
        truth.fresh(scan.snapshotId(), end).rows(),
        seen);
    reads++;
  }

  private void collect(TableTruth truth, VectorSchemaRoot rows, TreeMap<Integer, List<Long>> seen) {
    for (int row = 0; row < rows.getRowCount(); row++) {
      Map<String, Object> values = new HashMap<>();
      for (FieldVector vector : rows.getFieldVectors()) {
        values.put(vector.getName(), vector.getObject(row));
      }
      truth.checkRow(values::get, seen);
    }
  }

  /// Another engine.
  void foreign() {
    RandomGenerator random = new Random(world.random.nextLong());
    ForeignEngine engine = new ForeignEngine(random, world.catalog);
    Processes.run(
        world.schedule,
        () -> {
          while (!world.clientsDone()) {
            world.schedule.point("foreign engine waits");
            if (random.nextInt(30) == 0) {
              TableTruth truth = world.tables.get(random.nextInt(world.tables.size()));
              foreignStep(engine, truth);
            }
          }
        });
  }

  private void foreignStep(ForeignEngine engine, TableTruth truth) {
    try {
      engine.step(truth, world.takeTokens());
    } catch (org.apache.iceberg.exceptions.ValidationException e) {
      // It lost against another commit, and its statement fails: that is its user's matter.
      world.faults.count("foreign conflict");
    }
  }
}
