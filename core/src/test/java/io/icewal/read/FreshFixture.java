package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.ForeignCompaction;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.model.BlockKind;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.RowBatch;
import io.icewal.model.RowOp;
import io.icewal.parquet.ArrowRecords;
import io.icewal.storage.CountingObjectStore;
import io.icewal.storage.MemoryObjectStore;
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
import io.icewal.wal.TableState;
import io.icewal.wal.TrimLimits;
import io.icewal.wal.WalTrimmer;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;

/// A log in memory, a warehouse on disk, and one table in them, `ns.t`. Closing checks that no
/// buffer is left.
final class FreshFixture implements AutoCloseable {
  final SplittableRandom random = new SplittableRandom(11);
  final CountingObjectStore store =
      new CountingObjectStore(new MemoryObjectStore(() -> Instant.EPOCH));
  final BufferAllocator allocator = new RootAllocator();
  final LogRoot root;
  final TestWarehouse warehouse;
  final TailReader tails;
  ScanServices services;
  Materializer materializer;
  final Map<LogName, WalWriter> writers = new HashMap<>();
  final Map<LogName, LogReader> readers = new HashMap<>();
  int pauses;
  Runnable onPause = () -> {};

  FreshFixture(Path folder) {
    this(folder, 1);
  }

  FreshFixture(Path folder, int logs) {
    root = LogRoot.openOrCreate(store, logs, random);
    warehouse = new TestWarehouse(created(folder));
    tails = tails();
    services = new ScanServices(warehouse.tables()::load, tails, null);
    materializer =
        new Materializer(
            warehouse.tables(), tails, MaterializeConfig.defaults(), allocator, random);
  }

  /// A new process of everything, with nothing in its memory.
  void restart() {
    writers.clear();
    TailReader cold = tails();
    services = new ScanServices(warehouse.tables()::load, cold, null);
    materializer =
        new Materializer(warehouse.tables(), cold, MaterializeConfig.defaults(), allocator, random);
  }

  /// Compaction by another engine, of an unpartitioned table.
  void compact() {
    ForeignCompaction.run(table());
  }

  /// From now on batches go through a new writer whose clock stands there.
  void writeAt(Instant clock) {
    writers.put(
        root.logOf(table().uuid()),
        new WalWriter(
            root,
            root.logOf(table().uuid()),
            random,
            () -> clock,
            null,
            WriterLimits.DEFAULTS,
            Runnable::run,
            duration -> {}));
  }

  private static Path created(Path folder) {
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A reader without anything in its caches.
  TailReader tails() {
    Map<LogName, LogReader> own = new HashMap<>();
    Pause pause =
        duration -> {
          pauses++;
          onPause.run();
        };
    return new TailReader(
        root,
        log ->
            own.computeIfAbsent(
                log, name -> new LogReader(root, name, Runnable::run, ReaderLimits.DEFAULTS)),
        TailLimits.DEFAULTS,
        pause);
  }

  private WalWriter writer(LogName log) {
    return writers.computeIfAbsent(
        log,
        name ->
            new WalWriter(
                root,
                name,
                random,
                () -> Instant.EPOCH,
                null,
                WriterLimits.DEFAULTS,
                Runnable::run,
                duration -> {}));
  }

  Table create(Schema schema) {
    return create(schema, PartitionSpec.unpartitioned());
  }

  Table create(Schema schema, PartitionSpec spec) {
    return warehouse
        .tables()
        .create(TestWarehouse.name(), schema, spec, Map.of(), id -> writer(root.logOf(id)).end())
        .table();
  }

  Table table() {
    return warehouse.load();
  }

  /// The end of the log of `ns.t`.
  Position end() {
    return writer(root.logOf(table().uuid())).end();
  }

  /// Appends one batch of a kind with the given columns, in the table's current schema.
  Position append(BlockKind kind, List<Record> records, Set<Integer> fieldIds) {
    return append(kind, records, fieldIds, null);
  }

  private Position append(BlockKind kind, List<Record> records, Set<Integer> fieldIds, byte[] ops) {
    Table table = table();
    Schema columns = TypeUtil.select(table.schema(), fieldIds);
    columns = new Schema(columns.columns(), table.schema().identifierFieldIds());
    BlockHeader header = header(table, columns, kind);
    List<Record> own = new ArrayList<>();
    for (Record record : records) {
      own.add(select(record, columns));
    }
    try (RowBatch rows =
        new RowBatch(
            kind, ArrowRecords.toArrow(columns, own, allocator), ops == null ? null : ops(ops))) {
      return append(AppendBatch.ofRows(header, null, rows));
    }
  }

  private static Record select(Record record, Schema columns) {
    Record out = GenericRecord.create(columns);
    for (NestedField column : columns.columns()) {
      out.setField(column.name(), record.getField(column.name()));
    }
    return out;
  }

  private TinyIntVector ops(byte[] ops) {
    Field field =
        new Field(RowOp.COLUMN, FieldType.notNullable(new ArrowType.Int(8, true)), List.of());
    TinyIntVector vector = (TinyIntVector) field.createVector(allocator);
    vector.allocateNew(ops.length);
    IntStream.range(0, ops.length).forEach(i -> vector.set(i, ops[i]));
    vector.setValueCount(ops.length);
    return vector;
  }

  private static BlockHeader header(Table table, Schema columns, BlockKind kind) {
    return new BlockHeader(
        table.uuid(),
        "ns.t",
        table.schema().schemaId(),
        ((org.apache.iceberg.HasTableOperations) table).operations().current().lastColumnId(),
        columns,
        kind);
  }

  private Position append(AppendBatch batch) {
    AppendOutcome outcome =
        writer(root.logOf(batch.header().tableId())).append(List.of(batch)).get(0);
    assertThat(outcome).isInstanceOf(AppendOutcome.Appended.class);
    return ((AppendOutcome.Appended) outcome).position();
  }

  Position upsert(Record... records) {
    return upsert(List.of(records));
  }

  Position upsert(List<Record> records) {
    Set<Integer> ids = new java.util.HashSet<>();
    table().schema().columns().forEach(column -> ids.add(column.fieldId()));
    return append(BlockKind.UPSERT, records, ids);
  }

  Position delete(List<Record> records) {
    return append(BlockKind.DELETE, records, table().schema().identifierFieldIds());
  }

  Position mixed(List<Record> records, byte[] ops) {
    Set<Integer> ids = new java.util.HashSet<>();
    table().schema().columns().forEach(column -> ids.add(column.fieldId()));
    return append(BlockKind.MIXED, records, ids, ops);
  }

  Position truncate() {
    Table table = table();
    Schema key =
        new Schema(
            TypeUtil.select(table.schema(), table.schema().identifierFieldIds()).columns(),
            table.schema().identifierFieldIds());
    return append(AppendBatch.ofNoRows(header(table, key, BlockKind.TRUNCATE), null));
  }

  /// Rows of another table, which is materialized at once as far as trimming goes.
  void appendOther() {
    Schema schema =
        new Schema(NestedField.required(1, "x", org.apache.iceberg.types.Types.LongType.get()));
    Record record = GenericRecord.create(schema);
    record.set(0, 1L);
    BlockHeader header =
        new BlockHeader(new java.util.UUID(9, 9), "ns.other", 0, 1, schema, BlockKind.UPSERT);
    LogName log = root.logOf(table().uuid());
    try (RowBatch rows =
        new RowBatch(
            BlockKind.UPSERT, ArrowRecords.toArrow(schema, List.of(record), allocator), null)) {
      writer(log).append(List.of(AppendBatch.ofRows(header, null, rows)));
    }
  }

  /// The record of the table's current schema with the given values.
  Record row(Object... values) {
    Record record = GenericRecord.create(table().schema());
    for (int i = 0; i < values.length; i++) {
      record.set(i, values[i]);
    }
    return record;
  }

  MaterializeResult materialize() {
    return materializer.step(TestWarehouse.name(), table().uuid());
  }

  /// A trim round: the table's blocks stay, are trimmed when materialized, or are parked.
  void trim(boolean park) {
    Table table = table();
    long position = io.icewal.table.TablePosition.valid(table).orElseThrow().position().number();
    new WalTrimmer(root, root.logOf(table.uuid()), random, TrimLimits.DEFAULTS, Runnable::run)
        .trim(
            blocks ->
                !blocks.tableId().equals(table.uuid())
                    ? TableState.at(Long.MAX_VALUE)
                    : park ? TableState.park(position) : TableState.at(position));
  }

  static ScanRequest all() {
    return ScanRequest.of(TestWarehouse.name());
  }

  FreshScan plan(ScanRequest request) {
    return FreshScan.plan(request, services, allocator);
  }

  /// The rows as text, sorted.
  List<String> read(ScanRequest request) {
    return read(request, RowText::rows);
  }

  List<String> read(String where) {
    return read(all().withWhere(where));
  }

  <T extends Comparable<T>> List<T> read(
      ScanRequest request, Function<VectorSchemaRoot, List<T>> form) {
    List<T> out = new ArrayList<>();
    try (FreshRows rows = plan(request).execute(allocator)) {
      while (rows.next()) {
        assertThat(rows.root().getRowCount()).isPositive();
        out.addAll(form.apply(rows.root()));
      }
    }
    out.sort(null);
    return out;
  }

  long count(String where) {
    return plan(all().withWhere(where)).count(allocator);
  }

  @Override
  public void close() {
    warehouse.close();
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }
}
