package io.icewal.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.Materializer;
import io.icewal.runner.TableCycle.Outcome;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.table.TestWarehouse;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Cycles follow a table's UUID, whatever its name is.
class MaterializerCycleTest {
  private static final Schema SCHEMA =
      new Schema(NestedField.required(1, "id", Types.LongType.get()));
  private static final TableIdentifier OLD = TableIdentifier.of("ns", "old");

  @TempDir private Path folder;
  private final BufferAllocator allocator = new RootAllocator();
  private final SplittableRandom random = new SplittableRandom(1);
  private final LogRoot root =
      LogRoot.openOrCreate(new MemoryObjectStore(() -> Instant.EPOCH), 1, random);
  private TestWarehouse warehouse;

  @BeforeEach
  void open() {
    warehouse = new TestWarehouse(folder);
  }

  @AfterEach
  void close() {
    warehouse.close();
    allocator.close();
  }

  private UUID create(TableIdentifier name) {
    Table table =
        warehouse
            .tables()
            .create(
                name, SCHEMA, PartitionSpec.unpartitioned(), Map.of(), id -> root.logOf(id).at(0))
            .table();
    return table.uuid();
  }

  private TableCycle.Result run(UUID tableId, int searchedTablesMax) {
    LogReader reader = new LogReader(root, root.log(0), Runnable::run, ReaderLimits.DEFAULTS);
    TailReader tails = new TailReader(root, log -> reader, TailLimits.DEFAULTS, Pause.REAL);
    Materializer materializer =
        new Materializer(
            warehouse.tables(), tails, MaterializeConfig.defaults(), allocator, random);
    return new MaterializerCycle(materializer, warehouse.tables(), searchedTablesMax)
        .run(tableId, OLD.toString());
  }

  @Test
  void aRenamedTableIsFoundThoughAnotherHasItsName() {
    UUID id = create(OLD);
    TableIdentifier dotted = TableIdentifier.of(Namespace.of("other"), "new.name");
    warehouse.catalog().createNamespace(dotted.namespace());
    warehouse.catalog().renameTable(OLD, dotted);
    create(OLD);

    assertThat(run(id, 10).outcome()).isEqualTo(Outcome.DONE);
  }

  // Rows of a table that is gone are given up after a while: it must be certain.
  @Test
  void aTableThatWasNotFoundInTimeIsUnfitAndNotGone() {
    UUID id = create(OLD);
    warehouse.catalog().renameTable(OLD, TableIdentifier.of("ns", "z"));
    create(TableIdentifier.of("ns", "a"));

    TableCycle.Result short1 = run(id, 1);

    assertThat(short1.outcome()).isEqualTo(Outcome.UNFIT);
    assertThat(short1.message()).contains("ns.old", "the first 1 tables");
    assertThat(run(id, 2).outcome()).isEqualTo(Outcome.DONE);
    assertThat(run(new UUID(1, 1), 5).outcome()).isEqualTo(Outcome.GONE);
  }
}
