package io.icewal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.config.IcewalConfig;
import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartServices;
import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowBatch;
import io.icewal.parquet.ArrowRecords;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import io.icewal.storage.FaultyObjectStore;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import io.icewal.table.HookedTable;
import io.icewal.table.HookedTable.Hook;
import io.icewal.table.TablePosition;
import io.icewal.table.TableStart;
import io.icewal.wal.LogReader;
import io.icewal.wal.StagedBlock;
import io.icewal.wal.Staging;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
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
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableMakingTest {
  private static final Schema SCHEMA =
      new Schema(
          NestedField.required(1, "id", Types.IntegerType.get()),
          NestedField.optional(2, "v", Types.StringType.get()));

  private static final List<String> OLD = List.of("1,in a file", "2,in the log");

  @TempDir private Path folder;
  private TestTables others;
  private FaultyObjectStore store;
  private TestLog log;

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
  private TableMaking making(String name, Transaction transaction) {
    return making(name, transaction, List.of("id"), LocalExecutor::new);
  }

  private TableMaking making(
      String name,
      Transaction transaction,
      List<String> key,
      Function<PartServices, PartExecutor> executors) {
    TableIdentifier table = TestTables.name(name);
    TableStart.prepare(table, transaction, key);
    return new TableMaking(table, transaction, () -> others.load(name), log, executors);
  }

  private TableMaking creation(String name) {
    return making(
        name,
        others
            .catalog()
            .buildTable(TestTables.name(name), SCHEMA)
            .withProperties(Map.of("format-version", "3"))
            .createTransaction());
  }

  /// @param hooks what meets the commit
  private Transaction replacing(String name, HookedTable.Hook... hooks) {
    Table table = HookedTable.of(others.load(name), hooks);
    TableOperations operations = ((HasTableOperations) table).operations();
    return Transactions.replaceTableTransaction(
        name,
        operations,
        operations
            .current()
            .buildReplacement(
                SCHEMA,
                PartitionSpec.unpartitioned(),
                SortOrder.unsorted(),
                table.location(),
                Map.of("format-version", "3")));
  }

  /// A block of rows, as a task stages it.
  private StagedRows stage(StatementTable table, int from, int to, String v) {
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
  private List<String> rows(String name) {
    List<String> rows = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(others.load(name)).build()) {
      records.forEach(row -> rows.add(row.get(0) + "," + row.get(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rows.sort(null);
    return rows;
  }

  private long segments() {
    LogReader reader = log.reader(log.root().log(0));
    return reader.read(reader.newestBoundary().number()).segments().size();
  }

  private List<Path> dataFiles() {
    try (Stream<Path> files = Files.walk(folder.resolve("warehouse"))) {
      return files.filter(file -> file.toString().endsWith(".parquet")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// 1 in a file, 2 in the log.
  private void old(String name) {
    others.create(name, new Schema(SCHEMA.columns(), Set.of(1)));
    others.upsert(name, others.row(name, 1, "in a file"));
    others.materialize(name);
    others.upsert(name, others.row(name, 2, "in the log"));
  }

  private void assertIsTheOldOne(String name) {
    others.materialize(name);
    assertThat(rows(name)).isEqualTo(OLD);
  }

  @Test
  void rowsOfAQueryAreInTheFirstSnapshotOneOfEachKeyAndNeverInTheLog() {
    TableMaking making = creation("made");
    StatementTable target = making.target();
    making.commit(
        List.of(stage(target, 0, 3, "a"), stage(target, 2, 5, "b"), stage(target, 4, 6, "c")));

    assertThat(rows("made")).containsExactly("0,a", "1,a", "2,b", "3,b", "4,c", "5,c");
    assertThat(others.load("made").snapshots()).hasSize(1);
    assertThat(TablePosition.valid(others.load("made"))).isPresent();
    assertThat(segments()).isZero();

    others.upsert("made", others.row("made", 5, "later"));
    others.materialize("made");
    assertThat(rows("made")).hasSize(6).contains("5,later");
  }

  @Test
  void rowsTakeThePlaceOfAllThatATableHadInFilesAndInTheLog() {
    old("replaced");
    String uuid = others.load("replaced").uuid().toString();
    TableMaking making = making("replaced", replacing("replaced"));
    making.commit(List.of(stage(making.target(), 7, 9, "new")));

    assertThat(rows("replaced")).containsExactly("7,new", "8,new");
    assertThat(others.load("replaced").uuid()).hasToString(uuid);
    others.materialize("replaced");
    assertThat(rows("replaced")).containsExactly("7,new", "8,new");
    assertThat(segments()).isEqualTo(2);
    assertThat(others.idsInLog("replaced")).containsExactly(others.load("replaced").uuid());
  }

  @Test
  void whoReadsWhileATableIsReplacedSeesOldOrNewRowsButNeverNone() throws Exception {
    old("shown");
    others.materialize("shown");
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<List<List<String>>> reads =
        CompletableFuture.supplyAsync(
            () -> {
              List<List<String>> seen = new ArrayList<>();
              do {
                seen.add(rows("shown"));
              } while (!done.get());
              return seen;
            });

    for (int round = 0; round < 10; round++) {
      TableMaking making = making("shown", replacing("shown"));
      making.commit(List.of(stage(making.target(), 7, 9, "new")));
    }
    done.set(true);

    assertThat(reads.get()).isNotEmpty().isSubsetOf(OLD, List.of("7,new", "8,new"));
  }

  @Test
  void whatFailsBeforeTheCommitLeavesTheOldTableAndNoFiles() {
    old("kept");
    List<Path> before = dataFiles();
    TableMaking gone = making("kept", replacing("kept"));
    StagedRows rows = stage(gone.target(), 7, 9, "new");
    store.delete(List.of(rows.block().location().object()));
    assertThatThrownBy(() -> gone.commit(List.of(rows)))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT))
        .hasMessageContaining("staged block 0 (table s.kept");

    TableMaking cutOff =
        making(
            "kept",
            replacing("kept"),
            List.of("id"),
            services -> {
              // After the rows are read, the log is asked for its end.
              store.script(StoreOp.LIST, key -> key.contains("/segments/"), Toxic.FAIL_BEFORE);
              store.script(StoreOp.GET, key -> key.contains("/segments/"), Toxic.FAIL_BEFORE);
              return new LocalExecutor(services);
            });
    assertThatThrownBy(() -> cutOff.commit(List.of(stage(cutOff.target(), 7, 9, "new"))))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));

    assertThat(dataFiles()).isEqualTo(before);
    assertIsTheOldOne("kept");
  }

  @Test
  void commitThatIsRefusedLeavesTheOldTableAndNoFiles() {
    old("refused");
    List<Path> before = dataFiles();
    TableMaking making =
        making(
            "refused",
            replacing("refused", HookedTable.fails(e -> new ForbiddenException(e, "not yours"))));

    assertThatThrownBy(() -> making.commit(List.of(stage(making.target(), 7, 9, "new"))))
        .isInstanceOf(ForbiddenException.class);
    assertThat(dataFiles()).isEqualTo(before);
    assertIsTheOldOne("refused");
  }

  @Test
  void filesThatCannotBeRemovedAreToldBesideTheFailure() {
    old("stuck");
    List<Path> before = dataFiles();
    // What lies where the new file was is not removed as a file.
    Hook putsFolders =
        commit -> {
          dataFiles().stream().filter(file -> !before.contains(file)).forEach(this::makeFolder);
          throw new ForbiddenException("not yours");
        };
    TableMaking making = making("stuck", replacing("stuck", putsFolders));

    assertThatThrownBy(() -> making.commit(List.of(stage(making.target(), 7, 9, "new"))))
        .isInstanceOf(ForbiddenException.class)
        .satisfies(
            e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("cannot delete file:"));
    assertIsTheOldOne("stuck");
  }

  private void makeFolder(Path file) {
    try {
      Files.delete(file);
      Files.createDirectories(file.resolve("inside"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void commitThatFailsWithoutSayingHowKeepsItsFiles() {
    old("vague");
    List<Runnable> late = new ArrayList<>();
    TableMaking making =
        making(
            "vague",
            replacing(
                "vague",
                commit -> {
                  late.add(commit);
                  throw new IllegalStateException("no answer");
                }));

    assertThatThrownBy(() -> making.commit(List.of(stage(making.target(), 7, 9, "new"))))
        .isInstanceOf(IllegalStateException.class);
    assertThat(rows("vague")).containsExactly("1,in a file");

    late.get(0).run();
    assertThat(rows("vague")).containsExactly("7,new", "8,new");
  }

  @Test
  void whatOthersWriteIsTheOldTablesUntilTheCommitAndTheNewOnesFromThenOn() {
    old("meanwhile");
    TableMaking making =
        making(
            "meanwhile",
            replacing(
                "meanwhile",
                HookedTable.before(
                    () -> others.upsert("meanwhile", others.row("meanwhile", 4, "at its end")))));
    StagedRows rows = stage(making.target(), 7, 9, "new");
    others.upsert("meanwhile", others.row("meanwhile", 3, "while it ran"));
    making.commit(List.of(rows));
    others.upsert("meanwhile", others.row("meanwhile", 8, "after it"));

    others.materialize("meanwhile");
    assertThat(rows("meanwhile")).containsExactly("4,at its end", "7,new", "8,after it");
  }

  @Test
  void aRowOfTheOldKeyAfterTheCommitStopsTheTableUntilItIsReplacedOnceMore() {
    old("rekeyed");
    Hook oldKey =
        HookedTable.before(() -> others.upsert("rekeyed", others.row("rekeyed", 4, "old key")));
    TableMaking making =
        making("rekeyed", replacing("rekeyed", oldKey), List.of(), LocalExecutor::new);
    making.commit(List.of(stage(making.target(), 7, 9, "new")));
    assertThatThrownBy(() -> others.materialize("rekeyed"))
        .hasMessageContaining("has key fields [1], the table has []");

    TableMaking again = making("rekeyed", replacing("rekeyed"), List.of(), LocalExecutor::new);
    again.commit(List.of(stage(again.target(), 8, 10, "newer")));

    others.upsert("rekeyed", others.row("rekeyed", 8, "another"));
    others.materialize("rekeyed");
    assertThat(rows("rekeyed")).containsExactly("8,another", "8,newer", "9,newer");
  }

  @Test
  void ofManyLargeRowsOnlySomeAreInMemoryAtATime() throws IOException {
    for (List<String> key : List.of(List.of("id"), List.<String>of())) {
      String name = key.isEmpty() ? "large_appends" : "large_rows";
      old(name);
      List<BufferAllocator> used = new ArrayList<>();
      Path spill = Files.createDirectories(folder.resolve("spill"));
      TableMaking making =
          making(
              name,
              replacing(name),
              key,
              services -> {
                used.add(services.allocator());
                return new LocalExecutor(
                    new PartServices(
                        new MaterializeConfig(2 << 20, 1, spill),
                        services.allocator(),
                        services.manifests(),
                        services.keyPages()));
              });
      StatementTable target = making.target();
      List<StagedRows> rows = new ArrayList<>();
      for (int block = 0; block < 40; block++) {
        // Every key twice.
        int from = block % 20 * 64;
        rows.add(stage(target, from, from + 64, "x".repeat(16 << 10)));
      }
      making.commit(rows);

      // 40 MiB of rows, of which 2 MiB are worked on at a time.
      assertThat(used.get(0).getPeakMemoryAllocation()).isBetween(1L << 20, 16L << 20);
      assertThat(rows(name)).hasSize(key.isEmpty() ? 2560 : 1280);
      assertThat(spill).isEmptyDirectory();
    }
  }

  @Test
  void commitWhoseAnswerIsLostHasMadeTheTable() {
    old("unanswered");
    TableMaking making =
        making(
            "unanswered",
            replacing("unanswered", HookedTable.landsBut(CommitStateUnknownException::new)));

    making.commit(List.of(stage(making.target(), 7, 9, "new")));

    assertThat(rows("unanswered")).containsExactly("7,new", "8,new");
  }

  @Test
  void commitThatMayStillComeIsToldAsUnknownAndKeepsItsFiles() {
    old("unknown");
    List<Runnable> late = new ArrayList<>();
    TableMaking making =
        making(
            "unknown",
            replacing(
                "unknown",
                commit -> {
                  late.add(commit);
                  throw new CommitStateUnknownException(new IllegalStateException("no answer"));
                }));

    assertThatThrownBy(() -> making.commit(List.of(stage(making.target(), 7, 9, "new"))))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNKNOWN))
        .hasMessageContaining("whether table s.unknown was made is not known");
    assertThat(rows("unknown")).containsExactly("1,in a file");

    late.get(0).run();
    assertThat(rows("unknown")).containsExactly("7,new", "8,new");
  }
}
