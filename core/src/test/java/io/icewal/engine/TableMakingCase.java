package io.icewal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.TestTables;
import io.icewal.config.IcewalConfig;
import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartServices;
import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.model.RowBatch;
import io.icewal.parquet.ArrowRecords;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import io.icewal.storage.FaultyObjectStore;
import io.icewal.table.HookedTable;
import io.icewal.table.TableStart;
import io.icewal.wal.LogReader;
import io.icewal.wal.StagedBlock;
import io.icewal.wal.Staging;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A warehouse for tests of [TableMaking], and a table in it that is to be replaced.
abstract class TableMakingCase {
  static final Schema SCHEMA =
      new Schema(
          NestedField.required(1, "id", Types.IntegerType.get()),
          NestedField.optional(2, "v", Types.StringType.get()));

  static final List<String> OLD = List.of("1,in a file", "2,in the log");

  @TempDir Path folder;
  TestTables others;
  FaultyObjectStore store;
  TestLog log;

  /// What meets the next commits.
  final Deque<HookedTable.Hook> hooks = new ArrayDeque<>();

  @BeforeEach
  void open() {
    IcewalConfig config = IcewalConfig.embedded(folder);
    others = new TestTables(config);
    store = new FaultyObjectStore(config.openLogStore(), new SplittableRandom(1));
    log = new TestLog(store);
  }

  @AfterEach
  void close() {
    assertThat(log.allocator().getAllocatedMemory()).isZero();
    log.close();
    others.close();
  }

  /// `id` is the key.
  final TableMaking making(String name, Transaction transaction) {
    return making(name, transaction, List.of("id"), LocalExecutor::new);
  }

  final TableMaking making(
      String name,
      Transaction transaction,
      List<String> key,
      Function<PartServices, PartExecutor> executors) {
    TableIdentifier table = TestTables.name(name);
    TableStart.prepare(table, transaction, key);
    return new TableMaking(
        table,
        transaction,
        () -> HookedTable.of(others.catalog().loadTable(table), hooks),
        log,
        executors);
  }

  final TableMaking creation(String name) {
    return making(name, creating(name));
  }

  final Transaction creating(String name) {
    return others
        .catalog()
        .buildTable(TestTables.name(name), SCHEMA)
        .withProperties(Map.of("format-version", "3"))
        .createTransaction();
  }

  /// @param meets what the next commits meet with
  final Transaction replacing(String name, HookedTable.Hook... meets) {
    return replacing(name, SCHEMA, meets);
  }

  final Transaction replacing(String name, Schema schema, HookedTable.Hook... meets) {
    hooks.addAll(List.of(meets));
    Table table = others.load(name);
    TableOperations operations = ((HasTableOperations) table).operations();
    return Transactions.replaceTableTransaction(
        name,
        operations,
        operations
            .current()
            .buildReplacement(
                schema,
                PartitionSpec.unpartitioned(),
                SortOrder.unsorted(),
                table.location(),
                Map.of("format-version", "3")));
  }

  /// A block of rows, as a task stages it.
  final StagedRows stage(StatementTable table, int from, int to, String v) {
    Schema schema = table.schema();
    List<Record> rows = new ArrayList<>();
    for (int id = from; id < to; id++) {
      Record row = GenericRecord.create(schema);
      row.set(0, id);
      row.set(1, v);
      rows.add(row);
    }
    Staging staging =
        new Staging(log.root(), table.readPosition().log(), log.random(), log.executor());
    try (VectorSchemaRoot root = ArrowRecords.toArrow(schema, rows, log.allocator());
        RowBatch batch = new RowBatch(BlockKind.UPSERT, root, null)) {
      StagedBlock block = staging.stage(table.header(BlockKind.UPSERT), List.of(batch));
      return StagedRows.of(block, KeyColumns.of(schema).encode(root));
    }
  }

  /// As any Iceberg engine reads it.
  final List<String> rows(String name) {
    List<String> rows = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(others.load(name)).build()) {
      records.forEach(row -> rows.add(row.get(0) + "," + row.get(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rows.sort(null);
    return rows;
  }

  final long segments() {
    LogReader reader = log.reader(log.root().log(0));
    return reader.read(reader.newestBoundary().number()).segments().size();
  }

  final List<Path> dataFiles() {
    return files(".parquet");
  }

  /// All of the warehouse whose names end so.
  final List<Path> files(String end) {
    try (Stream<Path> files = Files.walk(folder.resolve("warehouse"))) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// 1 in a file, 2 in the log.
  final void old(String name) {
    others.create(name, new Schema(SCHEMA.columns(), Set.of(1)));
    others.upsert(name, others.row(name, 1, "in a file"));
    others.materialize(name);
    others.upsert(name, others.row(name, 2, "in the log"));
  }

  final void assertIsTheOldOne(String name) {
    others.materialize(name);
    assertThat(rows(name)).isEqualTo(OLD);
  }
}
