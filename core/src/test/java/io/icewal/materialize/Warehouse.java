package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.BlockKind;
import io.icewal.model.Position;
import io.icewal.model.RowBatch;
import io.icewal.model.RowOp;
import io.icewal.parquet.KeyPageCache;
import io.icewal.storage.CountingObjectStore;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.ObjectStore;
import io.icewal.table.CountingCatalog;
import io.icewal.table.HookedTable;
import io.icewal.table.IcewalTables;
import io.icewal.table.ManifestCache;
import io.icewal.table.TableCommit;
import io.icewal.table.TablePosition;
import io.icewal.table.TestGuards;
import io.icewal.table.TestWarehouse;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
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
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// A log in memory, a SQLite catalog and local files: the whole way from a batch to an Iceberg
/// table that plain Iceberg reads.
final class Warehouse implements AutoCloseable {
  /// The usual table: `id` is the key.
  static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

  /// The log's store.
  final CountingObjectStore store;

  private final TestWarehouse tables;
  private final CountingCatalog catalog;
  private final Path folder;
  private final LogRoot root;
  private final LogReader reader;
  private final WalWriter writer;
  private final BufferAllocator allocator = new RootAllocator();
  private final Deque<HookedTable.Hook> hooks = new ArrayDeque<>();
  private @Nullable Materializer materializer;
  private long cycleBytesMax = MaterializeConfig.CYCLE_BYTES_MAX_DEFAULT;

  Warehouse(Path folder) {
    this(folder, new MemoryObjectStore(Clock.systemUTC()));
  }

  /// The tables of a folder, new or not, and the log in a store.
  Warehouse(Path folder, ObjectStore log) {
    this.store = new CountingObjectStore(log);
    this.folder = folder;
    this.tables = new TestWarehouse(folder);
    this.catalog = new CountingCatalog(tables.catalog());
    this.root = LogRoot.openOrCreate(store, 1, new Random(1));
    this.reader = new LogReader(root, root.log(0), Runnable::run, ReaderLimits.DEFAULTS);
    this.writer =
        new WalWriter(
            root, root.log(0), new Random(2), Clock.systemUTC(), null, WriterLimits.DEFAULTS);
  }

  TestWarehouse tables() {
    return tables;
  }

  /// The catalog as materializers see it.
  CountingCatalog catalog() {
    return catalog;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  /// Cycles take at most so many decompressed bytes at once.
  void limitCycles(long bytes) {
    cycleBytesMax = bytes;
    materializer = null;
  }

  Table create(Schema schema) {
    return create(schema, PartitionSpec.unpartitioned());
  }

  Table create(Schema schema, PartitionSpec spec) {
    Table table =
        tables
            .tables()
            .create(TestWarehouse.name(), schema, spec, Map.of(), id -> writer.end())
            .table();
    return table;
  }

  Table load() {
    return tables.load();
  }

  Position upsert(List<?>... rows) {
    return upsert(load().schema(), rows);
  }

  /// Rows of the given columns only.
  Position upsert(Schema columns, List<?>... rows) {
    return append(BlockKind.UPSERT, columns, Arrays.asList(rows), null);
  }

  Position delete(List<?>... keys) {
    return append(BlockKind.DELETE, keyColumns(load()), Arrays.asList(keys), null);
  }

  /// Rows with an op each.
  Position mixed(byte[] ops, List<?>... rows) {
    return append(BlockKind.MIXED, load().schema(), Arrays.asList(rows), ops);
  }

  Position truncate() {
    return append(BlockKind.TRUNCATE, load().schema(), List.of(), null);
  }

  Position flush() {
    return append(BlockKind.FLUSH, load().schema(), List.of(), null);
  }

  private static Schema keyColumns(Table table) {
    return io.icewal.merge.KeyColumns.of(table.schema()).keySchema();
  }

  Position append(
      BlockKind kind, Schema columns, List<? extends List<?>> rows, byte @Nullable [] ops) {
    return append(List.of(batch(load(), kind, columns, rows, ops)));
  }

  /// Appends batches as one group: one segment.
  Position append(List<AppendBatch> batches) {
    List<AppendOutcome> outcomes = writer.append(batches);
    batches.forEach(
        batch -> {
          if (batch.rows() != null) {
            batch.rows().close();
          }
        });
    AppendOutcome last = outcomes.get(outcomes.size() - 1);
    assertThat(last).isInstanceOf(AppendOutcome.Appended.class);
    return ((AppendOutcome.Appended) last).position();
  }

  /// Appends rows of all columns, which are closed.
  Position upsert(VectorSchemaRoot rows) {
    Table table = load();
    BlockHeader header = header(table, BlockKind.UPSERT, table.schema());
    return append(
        List.of(AppendBatch.ofRows(header, null, new RowBatch(BlockKind.UPSERT, rows, null))));
  }

  private static BlockHeader header(Table table, BlockKind kind, Schema columns) {
    Schema stored = new Schema(columns.columns(), table.schema().identifierFieldIds());
    int lastColumnId = ((HasTableOperations) table).operations().current().lastColumnId();
    return new BlockHeader(
        table.uuid(), table.name(), table.schema().schemaId(), lastColumnId, stored, kind);
  }

  AppendBatch batch(
      Table table,
      BlockKind kind,
      Schema columns,
      List<? extends List<?>> rows,
      byte @Nullable [] ops) {
    BlockHeader header = header(table, kind, columns);
    if (!header.hasRows()) {
      return new AppendBatch(header, null, null, null);
    }
    VectorSchemaRoot root = TestRows.of(columns, rows, allocator);
    return AppendBatch.ofRows(header, null, new RowBatch(kind, root, opVector(ops)));
  }

  private @Nullable TinyIntVector opVector(byte @Nullable [] ops) {
    if (ops == null) {
      return null;
    }
    TinyIntVector vector = new TinyIntVector(RowOp.COLUMN, allocator);
    vector.allocateNew(ops.length);
    for (int i = 0; i < ops.length; i++) {
      vector.set(i, ops[i]);
    }
    vector.setValueCount(ops.length);
    return vector;
  }

  Position end() {
    return writer.end();
  }

  LogRoot root() {
    return root;
  }

  LogReader reader() {
    return reader;
  }

  /// What meets the next commits.
  void hook(HookedTable.Hook... next) {
    hooks.addAll(Arrays.asList(next));
  }

  MaterializeResult step() {
    if (materializer == null) {
      materializer = materializer(reader, TableCommit::new);
    }
    return step(materializer);
  }

  MaterializeResult step(Materializer with) {
    UUID id = load().uuid();
    return with.step(TestWarehouse.name(), id);
  }

  /// A cold materializer.
  Materializer cold() {
    return materializer(reader, TableCommit::new);
  }

  /// The materializer of a new process: cold, and with a reader that has seen nothing of the log.
  Materializer newProcess() {
    LogReader cold = new LogReader(root, root.log(0), Runnable::run, ReaderLimits.DEFAULTS);
    return materializer(cold, TableCommit::new);
  }

  /// A step of a cold materializer that has no more memory than this for rows.
  MaterializeResult stepWithin(long bytes) {
    try (BufferAllocator bounded = allocator.newChildAllocator("bounded", 0, bytes)) {
      return step(materializer(reader, TableCommit::new, bounded));
    }
  }

  Materializer without(String guard) {
    return materializer(
        reader, (table, expected) -> TestGuards.commitWithout(guard, table, expected));
  }

  /// A materializer whose cycles are worked on elsewhere, and to which something happens before it
  /// begins each commit.
  Materializer with(PartExecutor executor, Runnable before) {
    TailReader tails = new TailReader(root, name -> reader, TailLimits.DEFAULTS, Pause.REAL);
    return new Materializer(
        new IcewalTables(catalog),
        tails,
        new PartServices(
            new MaterializeConfig(cycleBytesMax, 5, folder.resolve("spill")),
            allocator,
            new ManifestCache(),
            new KeyPageCache()),
        executor,
        new Random(),
        (table, expected) -> {
          before.run();
          return new TableCommit(table, expected);
        });
  }

  /// A materializer to which something happens each time it has found old rows, and before it
  /// begins its commit.
  Materializer meeting(Runnable between) {
    return materializer(
        reader,
        (table, expected) -> {
          between.run();
          return new TableCommit(table, expected);
        });
  }

  private Materializer materializer(LogReader log, Materializer.CommitFactory commits) {
    return materializer(log, commits, allocator);
  }

  private Materializer materializer(
      LogReader log, Materializer.CommitFactory commits, BufferAllocator memory) {
    TailReader tails = new TailReader(root, name -> log, TailLimits.DEFAULTS, Pause.REAL);
    return new Materializer(
        new IcewalTables(catalog),
        tails,
        new MaterializeConfig(cycleBytesMax, 5, folder.resolve("spill")),
        memory,
        new Random(),
        (table, expected) -> commits.of(HookedTable.of(table, hooks), expected));
  }

  /// Steps until the tail is empty.
  List<String> materializeAll() {
    for (int i = 0; i < 1000; i++) {
      MaterializeResult result = step();
      if (result.status() == MaterializeResult.Status.NOTHING_TO_DO) {
        return rows();
      }
      assertThat(result.status()).isEqualTo(MaterializeResult.Status.COMMITTED);
    }
    throw new AssertionError("the tail does not end");
  }

  List<String> rows() {
    return tables.rows();
  }

  /// Rows with `_row_id`.
  List<String> rowsWithIds() {
    Schema schema = load().schema();
    List<NestedField> columns = new ArrayList<>(schema.columns());
    columns.add(MetadataColumns.ROW_ID);
    return tables.rows(new Schema(columns));
  }

  /// `_row_id` of all rows.
  List<String> ids() {
    return rowsWithIds().stream().map(row -> row.substring(row.lastIndexOf(',') + 1)).toList();
  }

  List<DeleteFile> vectors() {
    return tasks().stream().flatMap(task -> task.deletes().stream()).toList();
  }

  List<DataFile> files() {
    return tasks().stream().map(FileScanTask::file).toList();
  }

  List<FileScanTask> tasks() {
    try (CloseableIterable<FileScanTask> tasks =
        load().newScan().includeColumnStats().planFiles()) {
      return StreamSupport.stream(tasks.spliterator(), false).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Compaction by another engine.
  void compact() {
    ForeignCompaction.run(load());
  }

  Position position() {
    return TablePosition.valid(load()).orElseThrow().position();
  }

  /// Nothing of Arrow is left behind.
  @Override
  public void close() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
    tables.close();
  }
}
