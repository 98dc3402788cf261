package io.icewal.sim;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.table.Adoption;
import io.icewal.table.AdoptionRequest;
import io.icewal.table.IcewalTables;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.util.SnapshotUtil;

/// What users do to whole tables with other engines: rename, roll back, drop and create again,
/// replace; and what their operator does about a replaced one: adopt it.
final class TableLifecycle {
  private static final int TABLES_MAX = 6;
  private static final int ROLLBACK_MAX = 3;

  /// Not used: the tables of a run are small.
  private static final Path SPILL = Path.of(System.getProperty("java.io.tmpdir", "."));

  private final RandomGenerator random;
  private final World world;
  private final ForeignEngine engine;
  private int names;

  TableLifecycle(RandomGenerator random, World world, ForeignEngine engine) {
    this.random = random;
    this.world = world;
    this.engine = engine;
  }

  /// One operation on one table.
  void step(TableTruth truth) {
    if (truth.isReplaced()) {
      adopt(truth);
      return;
    }
    switch (random.nextInt(5)) {
      case 0 -> rename(truth);
      case 1 -> drop(truth);
      case 2 -> engine.replace(truth, world.takeTokens());
      default -> rollBack(truth);
    }
  }

  private void adopt(TableTruth truth) {
    try {
      new Adoption(new IcewalTables(world.catalog), world.allocator, SPILL)
          .adopt(AdoptionRequest.of(truth.name()), world::endOfLog);
    } catch (IcewalException e) {
      // Its name may be gone by now, or others may be faster each time.
      if (e.kind() != ErrorKind.INVALID && e.kind() != ErrorKind.CONFLICT) {
        throw e;
      }
    }
  }

  private void rename(TableTruth truth) {
    TableIdentifier to = TableIdentifier.of(SimCatalog.NAMESPACE, "renamed" + names++);
    world.catalog.renameTable(truth.name(), to);
  }

  /// Only where there is one log: Iceberg draws the UUID of the new table, and thereby its log.
  private void drop(TableTruth truth) {
    if (world.settings.logs() > 1 || world.tables.size() >= TABLES_MAX) {
      return;
    }
    TableIdentifier name = truth.name();
    world.catalog.dropTable(name, false);
    if (random.nextBoolean()) {
      world.createAgain(name);
    }
  }

  private void rollBack(TableTruth truth) {
    Table table = world.catalog.loadTable(truth.name());
    List<Long> ancestors = SnapshotUtil.currentAncestorIds(table);
    int back = Math.min(ancestors.size() - 1, 1 + random.nextInt(ROLLBACK_MAX));
    if (back > 0) {
      table.manageSnapshots().rollbackTo(ancestors.get(back)).commit();
    }
  }
}
