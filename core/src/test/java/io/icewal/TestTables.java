package io.icewal;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.config.IcewalConfig;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.Materializer;
import io.icewal.model.BlockKind;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.RowBatch;
import io.icewal.model.RowOp;
import io.icewal.parquet.ArrowRecords;
import io.icewal.storage.ObjectStore;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.tail.TailLimits;
import io.icewal.tail.TailReader;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.SegmentFooter;
import io.icewal.wal.TableState;
import io.icewal.wal.TrimLimits;
import io.icewal.wal.WalTrimmer;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// Another process on the same warehouse: it creates tables, appends to the log, materializes and
/// trims, as an ingestor and a maintenance runner do.
public class TestTables implements AutoCloseable {
  /// A number that is the key, and a text.
  public static final Schema KEYED =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

  public static final String SCHEMA = "s";

  /// Not of a fixed seed: another process may write into the same log, and ids differ.
  private final SplittableRandom random = new SplittableRandom();

  private final BufferAllocator allocator = new RootAllocator();
  private final Catalog catalog;
  private final ObjectStore store;
  private final LogRoot root;
  private final IcewalTables tables;
  private final Materializer materializer;
  private final Map<LogName, WalWriter> writers = new HashMap<>();
  private final Map<LogName, LogReader> readers = new HashMap<>();

  public TestTables(Path folder) {
    this(IcewalConfig.embedded(folder));
  }

  public TestTables(IcewalConfig config) {
    catalog = config.openCatalog();
    store = config.openLogStore();
    root = LogRoot.openOrCreate(store, 1, random);
    tables = new IcewalTables(catalog);
    TailReader tails = new TailReader(root, this::reader, TailLimits.DEFAULTS, Pause.REAL);
    materializer = new Materializer(tables, tails, MaterializeConfig.defaults(), allocator, random);
  }

  private LogReader reader(LogName log) {
    return readers.computeIfAbsent(
        log, name -> new LogReader(root, name, Runnable::run, ReaderLimits.DEFAULTS));
  }

  private WalWriter writer(LogName log) {
    return writers.computeIfAbsent(
        log,
        name -> new WalWriter(root, name, random, Clock.systemUTC(), null, WriterLimits.DEFAULTS));
  }

  public static TableIdentifier name(String table) {
    return TableIdentifier.of(Namespace.of(SCHEMA), table);
  }

  public Table create(String table, Schema schema) {
    return create(table, schema, PartitionSpec.unpartitioned());
  }

  public Table create(String table, Schema schema, PartitionSpec spec) {
    return tables.create(name(table), schema, spec, Map.of(), this::end).table();
  }

  private Position end(java.util.UUID table) {
    LogReader reader = reader(root.logOf(table));
    return reader.log().at(reader.read(reader.newestBoundary().number()).end());
  }

  public Table load(String table) {
    return tables.load(name(table));
  }

  public Catalog catalog() {
    return catalog;
  }

  public Record row(String table, Object... values) {
    Record record = GenericRecord.create(load(table).schema());
    for (int i = 0; i < values.length; i++) {
      record.set(i, values[i]);
    }
    return record;
  }

  public Position upsert(String table, Record... rows) {
    return upsert(table, List.of(rows));
  }

  public Position upsert(String table, List<Record> rows) {
    Set<Integer> all = new HashSet<>();
    load(table).schema().columns().forEach(column -> all.add(column.fieldId()));
    return append(table, BlockKind.UPSERT, rows, all, null);
  }

  public Position delete(String table, Record... keys) {
    return delete(table, List.of(keys));
  }

  public Position delete(String table, List<Record> keys) {
    return append(table, BlockKind.DELETE, keys, load(table).schema().identifierFieldIds(), null);
  }

  public Position mixed(String table, List<Record> rows, byte[] ops) {
    Set<Integer> all = new HashSet<>();
    load(table).schema().columns().forEach(column -> all.add(column.fieldId()));
    return append(table, BlockKind.MIXED, rows, all, ops);
  }

  public Position truncate(String name) {
    Table table = load(name);
    Set<Integer> key = table.schema().identifierFieldIds();
    Schema columns = new Schema(TypeUtil.select(table.schema(), key).columns(), key);
    return append(AppendBatch.ofNoRows(header(table, name, columns, BlockKind.TRUNCATE), null));
  }

  private Position append(
      String name, BlockKind kind, List<Record> rows, Set<Integer> fieldIds, byte[] ops) {
    Table table = load(name);
    Schema columns =
        new Schema(
            TypeUtil.select(table.schema(), fieldIds).columns(),
            table.schema().identifierFieldIds());
    List<Record> own = new ArrayList<>();
    for (Record row : rows) {
      Record out = GenericRecord.create(columns);
      for (NestedField column : columns.columns()) {
        out.setField(column.name(), row.getField(column.name()));
      }
      own.add(out);
    }
    try (RowBatch batch =
        new RowBatch(
            kind, ArrowRecords.toArrow(columns, own, allocator), ops == null ? null : ops(ops))) {
      return append(AppendBatch.ofRows(header(table, name, columns, kind), null, batch));
    }
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

  private static BlockHeader header(Table table, String name, Schema columns, BlockKind kind) {
    return new BlockHeader(
        table.uuid(),
        SCHEMA + "." + name,
        table.schema().schemaId(),
        ((HasTableOperations) table).operations().current().lastColumnId(),
        columns,
        kind);
  }

  private Position append(AppendBatch batch) {
    AppendOutcome outcome =
        writer(root.logOf(batch.header().tableId())).append(List.of(batch)).get(0);
    assertThat(outcome).isInstanceOf(AppendOutcome.Appended.class);
    return ((AppendOutcome.Appended) outcome).position();
  }

  /// The tables whose rows the log holds under a name, by their UUIDs.
  public Set<java.util.UUID> idsInLog(String table) {
    Set<java.util.UUID> ids = new HashSet<>();
    for (LogName log : root.all()) {
      LogReader reader = reader(log);
      for (SegmentFooter segment : reader.read(reader.newestBoundary().number()).segments()) {
        segment.blocks().stream()
            .map(BlockRef::header)
            .filter(header -> header.tableName().equals(name(table).toString()))
            .forEach(header -> ids.add(header.tableId()));
      }
    }
    return ids;
  }

  public void materialize(String table) {
    materializer.step(name(table), load(table).uuid());
  }

  /// A trim round: segments whose blocks are materialized go; those of the given tables are parked.
  public void trim(String... parked) {
    Map<java.util.UUID, TableState> states = new HashMap<>();
    for (TableIdentifier name : catalog.listTables(Namespace.of(SCHEMA))) {
      Table table = catalog.loadTable(name);
      TablePosition.valid(table)
          .ifPresent(
              at ->
                  states.put(
                      table.uuid(),
                      List.of(parked).contains(name.name())
                          ? TableState.park(at.position().number())
                          : TableState.at(at.position().number())));
    }
    for (LogName log : root.all()) {
      new WalTrimmer(root, log, random, TrimLimits.DEFAULTS, Runnable::run)
          .trim(blocks -> states.getOrDefault(blocks.tableId(), TableState.at(Long.MAX_VALUE)));
    }
  }

  @Override
  public void close() {
    try {
      store.close();
      ((Closeable) catalog).close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }
}
