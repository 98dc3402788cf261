package io.icewal.sim;

import io.icewal.read.Freshness;
import io.icewal.tail.TailReader;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.Snapshot;

/// One run: a world drawn from a seed, its actors, and the checks at its end.
///
/// 1. Everything is drawn from the seed: the world's size, tables, batches, faults, crashes, order.
/// 2. The actors run until all clients have their answers. The oracle watches each object that
///    lands, each commit and each scan, and fails the run at the first difference.
/// 3. Then the faults end, what travels lands, all tables are materialized and trimmed, and every
///    acknowledged row must be there exactly once.
public final class Simulation {
  private final World world;
  private final Writers writers;
  private final Readers readers;
  private final Maintainers maintainers;
  private final Surroundings surroundings;

  private Simulation(World world, Variant variant) {
    this.world = world;
    this.writers = new Writers(world, variant);
    this.readers = new Readers(world, variant);
    this.maintainers = new Maintainers(world, variant, readers);
    this.surroundings = new Surroundings(world);
  }

  /// What happened in one run.
  ///
  /// @param profile what kind of run it was
  /// @param steps calls of actors
  /// @param commits snapshots made, by all engines
  /// @param reads scans compared
  /// @param rounds boundaries put
  /// @param ghosts segments that landed on a trimmed slot
  /// @param faults faults by kind, crashes among them
  public record Result(
      String profile,
      long steps,
      int commits,
      int reads,
      int rounds,
      int ghosts,
      Map<String, Integer> faults) {}

  /// Runs one seed.
  ///
  /// @throws AssertionError if what the product did is not what it must do; the message ends with
  ///   how to run it again
  public static Result run(long seed) {
    return run(seed, Variant.NONE);
  }

  /// Runs one seed with one of the product's defences switched off.
  static Result run(long seed, Variant variant) {
    try (World world = new World(seed)) {
      try {
        return new Simulation(world, variant).run();
      } catch (RuntimeException | Error e) {
        Throwable first = world.schedule.failure() == null ? e : world.schedule.failure();
        throw new AssertionError(
            first.getMessage()
                + "\nreplay: ./icewal bench simulate --seeds 1 --from "
                + seed
                + (variant.equals(Variant.NONE) ? "" : " --variant " + variant)
                + "; "
                + world.settings
                + world.schedule.trace(),
            first);
      }
    }
  }

  private Result run() {
    spawn();
    world.faults.on();
    world.schedule.run();
    world.faults.off();
    rest();
    world.schedule.crashes().forEach((who, times) -> world.faults.count("crash", times));
    int commits = world.tables.stream().mapToInt(TableTruth::commits).sum();
    return new Result(
        world.settings.profile().name().toLowerCase(Locale.ROOT),
        world.schedule.steps(),
        commits,
        readers.reads(),
        world.log.rounds(),
        world.log.ghosts(),
        world.faults.counts());
  }

  private void spawn() {
    SimSettings settings = world.settings;
    for (int i = 0; i < settings.writers(); i++) {
      int number = i;
      spawn("writer-" + i, 25, () -> writers.writer(number));
    }
    for (int i = 0; i < settings.materializers(); i++) {
      spawn("materializer-" + i, settings.hazards().keepPercent(), maintainers::materializer);
    }
    for (int i = 0; i < settings.trimmers(); i++) {
      spawn("trimmer-" + i, settings.trimming().keepPercent(), maintainers::trimmer);
    }
    for (int i = 0; i < settings.readers(); i++) {
      spawn("reader-" + i, 25, readers::reader);
    }
    if (settings.foreign()) {
      spawn("foreign", settings.hazards().keepPercent(), surroundings::foreign);
    }
    world.schedule.spawn("network", 0, 25, surroundings::network);
  }

  private void spawn(String name, int keepPercent, Runnable body) {
    world.schedule.spawn(name, world.settings.hazards().crashPerMille(), keepPercent, body);
  }

  /// No faults any more: everything acknowledged must come to be in the tables.
  private void rest() {
    world.faults.landAll();
    TailReader tails = readers.tails();
    for (TableTruth table : world.existing()) {
      readers.read(table.name(), tails, Freshness.FRESH);
      if (!table.isReplaced()) {
        maintainers.materializeAll(table);
        readers.read(table.name(), tails, Freshness.FRESH);
        long end = world.log.end(world.logOf(table).log());
        checkAtRest(table, end);
      }
    }
    world.clients.forEach(this::checkAcked);
  }

  private static void checkAtRest(TableTruth table, long end) {
    Snapshot current = Objects.requireNonNull(table.currentSnapshot());
    long position = table.position();
    table.compare(
        "at rest",
        table.fresh(current.snapshotId(), position, end).rows(),
        table.currentRows().rows());
  }

  private void checkAcked(Client client) {
    for (Batch batch : client.batches()) {
      boolean held = true;
      if (batch.producer != null && !batch.markOnly) {
        held =
            world.log.holds(batch.table.id, batch.producer.producer(), batch.producer.sequence());
      }
      for (int row = 0; row < batch.tokens.length; row++) {
        held &= batch.deletes[row] || world.log.holds(batch.tokens[row]);
      }
      if (batch.acked && !held) {
        throw new AssertionError(
            client.name + ": an acknowledged batch is lost: " + batch.producer);
      }
    }
  }
}
