package io.icewal.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.Materializer;
import io.icewal.model.BlockKind;
import io.icewal.model.RowBatch;
import io.icewal.parquet.ArrowRecords;
import io.icewal.runner.TableCycle.Outcome;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.table.TestWarehouse;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Cycles on real tables, found by the name that stands in the log.
class DottedNamesTest {
  private static final Schema SCHEMA =
      new Schema(List.of(NestedField.required(1, "id", Types.LongType.get())), Set.of(1));

  @TempDir Path folder;
  private final SplittableRandom random = new SplittableRandom(3);
  private final BufferAllocator allocator = new RootAllocator();
  private final LogRoot root =
      LogRoot.openOrCreate(new MemoryObjectStore(() -> Instant.EPOCH), 1, random);
  private final WalWriter writer =
      new WalWriter(root, root.log(0), random, () -> Instant.EPOCH, null, WriterLimits.DEFAULTS);
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

  /// Case b115: `a.x.y` is what the log says of both tables.
  @Test
  void b115_tablesWhoseNamesLookAlikeInTheLogGetTheirOwnRows() {
    TableIdentifier dotted = TableIdentifier.of("a", "x.y");
    TableIdentifier nested = TableIdentifier.of(Namespace.of("a", "x"), "y");
    append(create(dotted), 1);
    append(create(nested), 2);
    TableIdentifier strange = TableIdentifier.of("a b", "x y%2F.\u00e9");
    append(create(strange), 3);

    MaterializerCycle cycle = cycle(0);
    for (TableIdentifier name : List.of(dotted, nested, strange)) {
      Table table = warehouse.load(name);
      assertThat(cycle.run(table.uuid(), name.toString()).outcome()).isEqualTo(Outcome.DONE);
    }

    assertThat(rows(dotted)).containsExactly(1L);
    assertThat(rows(nested)).containsExactly(2L);
    assertThat(rows(strange)).containsExactly(3L);
  }

  @Test
  void rowsFollowTheirTableToANameWithDots() {
    TableIdentifier before = TableIdentifier.of("a", "t");
    TableIdentifier after = TableIdentifier.of("a", "v1.2");
    append(create(before), 1);
    warehouse.catalog().renameTable(before, after);
    append(create(before), 2);

    MaterializerCycle cycle = cycle(10);
    for (int round = 0; round < 2; round++) {
      assertThat(cycle.run(warehouse.load(after).uuid(), "a.t").outcome()).isEqualTo(Outcome.DONE);
    }

    assertThat(rows(after)).containsExactly(1L);
  }

  @Test
  void aTableThatIsNowhereIsGone() {
    TableIdentifier name = TableIdentifier.of("a", "x.y");
    Table table = create(name);
    append(table, 1);
    warehouse.catalog().dropTable(name, false);

    assertThat(cycle(1).run(table.uuid(), name.toString()).outcome()).isEqualTo(Outcome.GONE);
  }

  /// @param searched tables that may be looked through for a UUID
  private MaterializerCycle cycle(int searched) {
    TailReader tails =
        new TailReader(
            root,
            log -> new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS),
            TailLimits.DEFAULTS,
            Pause.REAL);
    Materializer materializer =
        new Materializer(
            warehouse.tables(), tails, MaterializeConfig.defaults(), allocator, random);
    return new MaterializerCycle(materializer, warehouse.tables(), searched);
  }

  private Table create(TableIdentifier name) {
    return warehouse
        .tables()
        .create(name, SCHEMA, PartitionSpec.unpartitioned(), Map.of(), id -> writer.end())
        .table();
  }

  private void append(Table table, long id) {
    Record record = GenericRecord.create(SCHEMA);
    record.set(0, id);
    String name = table.name().substring(table.name().indexOf('.') + 1);
    BlockHeader header =
        new BlockHeader(table.uuid(), name, 0, 1, table.schema(), BlockKind.UPSERT);
    try (RowBatch rows =
        new RowBatch(
            BlockKind.UPSERT,
            ArrowRecords.toArrow(table.schema(), List.of(record), allocator),
            null)) {
      writer.append(List.of(AppendBatch.ofRows(header, null, rows)));
    }
  }

  private List<Object> rows(TableIdentifier name) {
    List<Object> ids = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(warehouse.load(name)).build()) {
      records.forEach(record -> ids.add(record.get(0)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ids;
  }
}
