package io.icewal.sim;

import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.materialize.WeakenedMaterializer;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.table.TableSearch;
import io.icewal.wal.TableBlocks;
import io.icewal.wal.TableState;
import io.icewal.wal.TrimLimits;
import io.icewal.wal.WalTrimmer;
import io.icewal.wal.WeakenedWal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/// Those who take the tables of a run forward and trim its logs.
final class Maintainers {
  private final World world;
  private final Variant variant;
  private final Readers readers;

  Maintainers(World world, Variant variant, Readers readers) {
    this.world = world;
    this.variant = variant;
    this.readers = readers;
  }

  /// A materializer of all tables.
  void materializer() {
    RandomGenerator random = new Random(world.random.nextLong());
    Processes.run(
        world.schedule,
        () -> {
          Materializer materializer = newMaterializer(random, random.nextInt(3) == 0 ? 1 : 1 << 20);
          Map<UUID, TableIdentifier> names = new HashMap<>();
          while (!world.clientsDone()) {
            world.schedule.point("materializer waits");
            if (random.nextInt(world.settings.materializeOneIn()) == 0) {
              TableTruth table = world.tables.get(random.nextInt(world.tables.size()));
              materialize(materializer, table, names);
            }
          }
        });
  }

  /// One cycle by the table's last known name; where that is gone or another's, the table is looked
  /// for, as a maintenance runner does.
  private void materialize(
      Materializer materializer, TableTruth table, Map<UUID, TableIdentifier> names) {
    IcewalTables tables = new IcewalTables(world.catalog);
    TableIdentifier name = names.getOrDefault(table.id, table.shape.identifier);
    boolean wasThere = table.exists() && table.name().equals(name);
    try {
      if (materializer.step(name, table.id).tableId().equals(table.id)) {
        return;
      }
    } catch (CommitStateUnknownException e) {
      throw new AssertionError("nobody looked what became of a commit", e);
    } catch (IcewalException e) {
      boolean isThere = table.exists() && table.name().equals(name);
      if (e.kind() != ErrorKind.INVALID || (wasThere && isThere)) {
        throw e;
      }
    }
    names.remove(table.id);
    if (tables.find(table.id, name, 100) instanceof TableSearch.Found found) {
      names.put(table.id, found.name());
    }
  }

  private Materializer newMaterializer(RandomGenerator random, long cycleBytesMax) {
    MaterializeConfig config =
        new MaterializeConfig(cycleBytesMax, 3, Path.of(System.getProperty("java.io.tmpdir")));
    IcewalTables tables = new IcewalTables(world.catalog);
    return variant.weakens(Variant.Where.COMMIT)
        ? WeakenedMaterializer.without(
            variant.name(), tables, readers.tails(), config, world.allocator, random)
        : new Materializer(tables, readers.tails(), config, world.allocator, random);
  }

  /// Takes a table to the end of its log.
  void materializeAll(TableTruth table) {
    Materializer materializer = newMaterializer(new Random(1), 1 << 20);
    MaterializeResult result;
    do {
      result = materializer.step(table.name(), table.id);
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
    TableTruth truth = world.table(blocks.tableId());
    if (!truth.exists()) {
      return random.nextBoolean()
          ? TableState.drop(blocks.remembered())
          : TableState.park(blocks.remembered());
    }
    Table table;
    try {
      table = world.catalog.loadTable(truth.name());
    } catch (NoSuchTableException e) {
      return TableState.keep();
    }
    if (!table.uuid().equals(truth.id)) {
      return TableState.keep();
    }
    Optional<TablePosition> valid = TablePosition.valid(table);
    if (valid.isEmpty()) {
      return TableState.park(blocks.remembered());
    }
    long position = valid.get().position().number();
    return random.nextInt(100) < world.settings.trimming().parkPercent()
        ? TableState.park(position)
        : TableState.at(position);
  }
}
