package io.icewal.sim;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.read.FreshRows;
import io.icewal.read.FreshScan;
import io.icewal.read.Freshness;
import io.icewal.read.ScanRequest;
import io.icewal.read.ScanServices;
import io.icewal.table.IcewalTables;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.tail.WeakenedTail;
import io.icewal.wal.LogReader;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.WeakenedWal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;

/// Those who read the tables of a run, and check what they read.
final class Readers {
  private final World world;
  private final Variant variant;
  private int reads;

  Readers(World world, Variant variant) {
    this.world = world;
    this.variant = variant;
  }

  /// How many scans were compared.
  int reads() {
    return reads;
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
            TableTruth truth = random.nextInt(8) == 0 ? world.anyTable(random) : null;
            if (truth != null) {
              readIfThere(
                  truth, tails, random.nextInt(5) == 0 ? Freshness.NO_TAIL : Freshness.FRESH);
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

  /// A name may be given to another table, or be gone, before the table is loaded.
  private void readIfThere(TableTruth truth, TailReader tails, Freshness freshness) {
    TableIdentifier name = truth.name();
    try {
      read(name, tails, freshness);
    } catch (IcewalException e) {
      if (e.kind() != ErrorKind.INVALID || (truth.exists() && truth.name().equals(name))) {
        throw e;
      }
    }
  }

  /// One scan, compared with the oracle.
  void read(TableIdentifier name, TailReader tails, Freshness freshness) {
    Map<Integer, Long> acked = world.acked();
    ScanServices services = new ScanServices(new IcewalTables(world.catalog)::load, tails, null);
    ScanRequest request = ScanRequest.of(name).withFreshness(freshness);
    FreshScan scan = FreshScan.plan(request, services, world.allocator);
    TableTruth truth = world.table(scan.table().uuid());
    TreeMap<Integer, List<Long>> seen = new TreeMap<>();
    try (FreshRows rows = scan.execute(world.allocator)) {
      while (rows.next()) {
        collect(truth, scan.projection(), rows.root(), seen);
      }
    }
    seen.values().forEach(tokens -> tokens.sort(null));
    long position = scan.position().map(Position::number).orElse(TableTruth.NO_POSITION);
    long end = scan.end().map(Position::number).orElse(TableTruth.NO_POSITION);
    String what = "scan of " + scan.snapshotId() + " at " + position + " to " + end;
    if (scan.snapshotId() == FreshScan.NO_SNAPSHOT) {
      truth.compare(what, new TreeMap<>(), seen);
    } else {
      long must = acked.getOrDefault(world.logOf(truth).log(), 0L);
      checkCut(truth, scan.snapshotId(), position);
      if (freshness == Freshness.FRESH && position != TableTruth.NO_POSITION && end < must) {
        throw new AssertionError(what + ", though " + must + " was acknowledged before");
      }
      truth.compare(what, truth.fresh(scan.snapshotId(), position, end).rows(), seen);
    }
    reads++;
  }

  private static void checkCut(TableTruth truth, long snapshotId, long position) {
    if (!truth.wasAt(snapshotId, position)) {
      throw new AssertionError(
          "a scan of " + snapshotId + " at position " + position + ", where the table never was");
    }
  }

  private static void collect(
      TableTruth truth, Schema schema, VectorSchemaRoot rows, TreeMap<Integer, List<Long>> seen) {
    for (int row = 0; row < rows.getRowCount(); row++) {
      Map<String, Object> values = new HashMap<>();
      for (FieldVector vector : rows.getFieldVectors()) {
        values.put(vector.getName(), vector.getObject(row));
      }
      truth.checkRow(schema, values::get, seen);
    }
  }
}
