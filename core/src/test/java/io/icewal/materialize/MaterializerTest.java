package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.materialize.MaterializeResult.Status;
import io.icewal.model.BlockKind;
import io.icewal.model.RowOp;
import io.icewal.table.HookedTable;
import io.icewal.table.TablePosition;
import io.icewal.table.TestWarehouse;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MaterializerTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

  @TempDir private Path folder;
  private Warehouse warehouse;

  @BeforeEach
  void open() {
    warehouse = new Warehouse(folder);
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  @Test
  void rowsGoFromTheLogIntoTheTable() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(2L, "b"), List.of(1L, "a"));

    MaterializeResult result = warehouse.step();

    assertThat(result.status()).isEqualTo(Status.COMMITTED);
    assertThat(result.rows()).isEqualTo(2);
    assertThat(result.position()).isEqualTo(warehouse.end());
    assertThat(result.tableId()).isEqualTo(warehouse.load().uuid());
    assertThat(warehouse.rows()).containsExactly("1,a", "2,b");
    assertThat(warehouse.position()).isEqualTo(warehouse.end());
    assertThat(warehouse.step().status()).isEqualTo(Status.NOTHING_TO_DO);
  }

  // b001, b010
  @Test
  void b001_severalVersionsOfAKeyInOneCycleLeaveTheNewest() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(1L, "b"));
    warehouse.upsert(List.of(1L, "c"));
    warehouse.upsert(List.of(1L, "d"));

    assertThat(warehouse.materializeAll()).containsExactly("1,d");
  }

  // b002
  @Test
  void b002_aFailedCycleIsDoneAgainTogetherWithTheNext() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "n"));
    warehouse.hook(
        HookedTable.fails(e -> new UncheckedSQLException(new SQLException(e), "500")),
        HookedTable.fails(e -> new UncheckedSQLException(new SQLException(e), "500")),
        HookedTable.fails(e -> new UncheckedSQLException(new SQLException(e), "500")),
        HookedTable.fails(e -> new UncheckedSQLException(new SQLException(e), "500")),
        HookedTable.fails(e -> new UncheckedSQLException(new SQLException(e), "500")));
    assertThatThrownBy(() -> warehouse.step()).hasMessageContaining("lost 5 times");
    warehouse.upsert(List.of(1L, "n+1"));

    assertThat(warehouse.materializeAll()).containsExactly("1,n+1");
  }

  // b004, b026
  @Test
  void b004_anOldMaterializerThatWakesUpAddsNothing() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    Materializer rival = warehouse.cold();
    warehouse.hook(HookedTable.before(() -> warehouse.step(rival)));

    assertThat(warehouse.step(warehouse.cold()).status()).isEqualTo(Status.CONFLICT);

    assertThat(warehouse.rows()).containsExactly("1,a");
    assertThat(warehouse.step().status()).isEqualTo(Status.NOTHING_TO_DO);
  }

  @Test
  void b004_withoutThePositionGuardAppendsAreDoubled() {
    warehouse.create(new Schema(SCHEMA.columns()));
    warehouse.upsert(List.of(1L, "a"));
    Materializer rival = warehouse.without("position");
    warehouse.hook(HookedTable.before(() -> warehouse.step(rival)));

    warehouse.step(warehouse.without("position"));

    assertThat(warehouse.rows()).containsExactly("1,a", "1,a");
  }

  // b005
  @Test
  void b005_aKeyThatIsNotTheFirstColumnIsFound() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.optional(1, "v", Types.StringType.get()),
                NestedField.required(2, "id", Types.LongType.get()),
                NestedField.optional(3, "w", Types.StringType.get())),
            Set.of(2));
    warehouse.create(schema);
    warehouse.upsert(List.of("a", 1L, "x"));
    warehouse.step();
    warehouse.upsert(List.of("b", 1L, "y"));

    assertThat(warehouse.materializeAll()).containsExactly("b,1,y");
  }

  // b007
  @Test
  void b007_anAppendOnlyTableKeepsEveryRow() {
    warehouse.create(new Schema(SCHEMA.columns()));
    warehouse.upsert(List.of(1L, "a"), List.of(1L, "a"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "a"));
    warehouse.upsert(List.of(1L, "a"));

    assertThat(warehouse.materializeAll()).containsExactly("1,a", "1,a", "1,a", "1,a");
  }

  // b008
  @Test
  void b008_insertDeleteInsertEndsAsPresentHoweverItIsCut() {
    warehouse.create(SCHEMA);
    warehouse.mixed(
        new byte[] {RowOp.UPSERT, RowOp.DELETE, RowOp.UPSERT},
        List.of(1L, "a"),
        Arrays.asList(1L, null),
        List.of(1L, "b"));
    warehouse.upsert(List.of(2L, "a"));
    warehouse.delete(List.of(2L));
    warehouse.upsert(List.of(2L, "b"));
    warehouse.step();
    for (Runnable part :
        List.<Runnable>of(
            () -> warehouse.upsert(List.of(3L, "a")),
            () -> warehouse.delete(List.of(3L)),
            () -> warehouse.upsert(List.of(3L, "b")))) {
      part.run();
      warehouse.step();
    }

    assertThat(warehouse.rows()).containsExactly("1,b", "2,b", "3,b");
  }

  // b023
  @Test
  void b023_aCycleOfDeletesOnlyIsCommitted() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    warehouse.step();
    long before = warehouse.load().currentSnapshot().snapshotId();
    warehouse.delete(List.of(1L), List.of(7L));

    assertThat(warehouse.materializeAll()).containsExactly("2,b");
    assertThat(warehouse.load().currentSnapshot().snapshotId()).isNotEqualTo(before);
  }

  // b025
  @Test
  void b025_deletesOfThreeCyclesAddUpInOneVector() {
    warehouse.create(SCHEMA);
    warehouse.upsert(
        List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c"), List.of(4L, "d"), List.of(5L, "e"));
    warehouse.step();
    for (long id : new long[] {2, 4, 1}) {
      warehouse.delete(List.of(id));
      warehouse.step();
    }

    assertThat(warehouse.rows()).containsExactly("3,c", "5,e");
    assertThat(vectors()).singleElement().satisfies(v -> assertThat(v.recordCount()).isEqualTo(3));
  }

  @Test
  void flushBlocksAndRepeatsMoveThePositionWithAnEmptySnapshot() {
    warehouse.create(SCHEMA);
    long before = warehouse.load().currentSnapshot().snapshotId();
    warehouse.flush();

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    Snapshot now = warehouse.load().currentSnapshot();
    assertThat(now.parentId()).isEqualTo(before);
    assertThat(warehouse.position()).isEqualTo(warehouse.end());
    assertThat(now.summary()).containsEntry(TablePosition.SUMMARY, warehouse.end().toString());
  }

  @Test
  void truncationRemovesAllRowsBeforeIt() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    warehouse.step();
    warehouse.upsert(List.of(3L, "c"));
    warehouse.truncate();
    warehouse.upsert(List.of(2L, "new"));

    assertThat(warehouse.materializeAll()).containsExactly("2,new");
    assertThat(vectors()).isEmpty();
  }

  @Test
  void truncationOfAnAppendOnlyTableRemovesAllRowsBeforeIt() {
    warehouse.create(new Schema(SCHEMA.columns()));
    warehouse.upsert(List.of(1L, "a"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "b"));
    warehouse.truncate();
    warehouse.upsert(List.of(1L, "c"));

    assertThat(warehouse.materializeAll()).containsExactly("1,c");
  }

  // b047
  @Test
  void b047_anUpdateKeepsTheRowIdAndARebornRowGetsANewOne() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c"));
    warehouse.step();
    assertThat(warehouse.rowsWithIds()).containsExactly("1,a,0", "2,b,1", "3,c,2");

    warehouse.upsert(List.of(2L, "b2"), List.of(4L, "d"));
    warehouse.delete(List.of(1L));
    warehouse.upsert(List.of(1L, "a2"));
    warehouse.step();

    assertThat(warehouse.rowsWithIds()).contains("2,b2,1", "3,c,2").doesNotContain("1,a2,0");
    warehouse.upsert(List.of(2L, "b3"));
    warehouse.step();
    assertThat(warehouse.rowsWithIds()).contains("2,b3,1");
    assertThat(ids()).doesNotHaveDuplicates();
  }

  @Test
  void filesWithoutUpdatesStoreNoLineageColumns() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "a2"));
    warehouse.step();

    assertThat(files())
        .singleElement()
        .satisfies(
            file -> assertThat(file.valueCounts()).containsKey(MetadataColumns.ROW_ID.fieldId()));
    warehouse.upsert(List.of(9L, "new"));
    warehouse.step();
    assertThat(files())
        .anySatisfy(
            file ->
                assertThat(file.valueCounts()).doesNotContainKey(MetadataColumns.ROW_ID.fieldId()));
  }

  // b028, b182
  @Test
  void b028_compactionBetweenLookingAndCommittingIsLookedIntoAgain() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "new"));
    warehouse.hook(HookedTable.before(this::compact));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("1,new", "2,b");
    compact();
    warehouse.upsert(List.of(2L, "new"));
    assertThat(warehouse.materializeAll()).containsExactly("1,new", "2,new");
  }

  // b020, b181
  @Test
  void b181_anUpsertReplacesEveryCopyThatAnotherEngineLeft() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    warehouse.step();
    warehouse.tables().append(List.of(List.of(1L, "x"), List.of(1L, "y"), List.of(5L, "z")));
    warehouse.upsert(List.of(1L, "one"));

    assertThat(warehouse.materializeAll()).containsExactly("1,one", "2,b", "5,z");
  }

  @Test
  void b020_aForeignInsertDuringTheCommitIsReplacedToo() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(7L, "mine"));
    warehouse.hook(
        HookedTable.before(() -> warehouse.tables().append(List.of(List.of(7L, "theirs")))));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("7,mine");
  }

  // b157
  @Test
  void b157_anUnknownOutcomeIsLookedUpAndFilesStay() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse.hook(HookedTable.landsBut(e -> new CommitStateUnknownException(e)));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);
    assertThat(warehouse.rows()).containsExactly("1,a");

    warehouse.upsert(List.of(1L, "b"));
    warehouse.hook(HookedTable.fails(e -> new CommitStateUnknownException(e)));
    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);
    assertThat(warehouse.rows()).containsExactly("1,b");
  }

  // b176, b179
  @Test
  void b176_expiryAndRollbackByOthersNeitherLoseNorRepeat() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse.step();
    long first = warehouse.load().currentSnapshot().snapshotId();
    warehouse.upsert(List.of(1L, "b"), List.of(2L, "c"));
    warehouse.step();
    compact();
    warehouse.load().expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
    assertThat(warehouse.step().status()).isEqualTo(Status.NOTHING_TO_DO);
    assertThat(warehouse.rows()).containsExactly("1,b", "2,c");
    assertThat(first).isNotZero();
  }

  @Test
  void b179_afterARollbackTheLogAppliesOnTop() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse.step();
    long first = warehouse.load().currentSnapshot().snapshotId();
    warehouse.upsert(List.of(2L, "gone"));
    warehouse.step();
    warehouse.load().manageSnapshots().rollbackTo(first).commit();
    warehouse.upsert(List.of(3L, "c"));

    assertThat(warehouse.materializeAll()).containsExactly("1,a", "3,c");
  }

  @Test
  void aReplacedTableKeepsItsTailWaiting() {
    Table table = warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse
        .tables()
        .catalog()
        .buildTable(TestWarehouse.name(), SCHEMA)
        .withProperties(table.properties())
        .replaceTransaction()
        .commitTransaction();

    assertThat(warehouse.step().status()).isEqualTo(Status.REPLACED);
  }

  @Test
  void longTailsAreTakenInCycles() {
    warehouse.create(SCHEMA);
    warehouse.limitCycles(1);
    for (long i = 0; i < 5; i++) {
      warehouse.upsert(List.of(i % 2, "v" + i));
    }

    MaterializeResult first = warehouse.step();

    assertThat(first.more()).isTrue();
    assertThat(first.position()).isEqualTo(warehouse.root().log(0).at(1));
    assertThat(warehouse.materializeAll()).containsExactly("0,v4", "1,v3");
    assertThat(warehouse.position()).isEqualTo(warehouse.end());
  }

  // A segment that is larger than a cycle may hold in memory works in sorted runs on disk.
  @Test
  void aHugeSegmentIsSortedInRunsOnDisk() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "old"), List.of(2L, "old"), List.of(3L, "old"));
    warehouse.step();
    warehouse.limitCycles(1);
    Table table = warehouse.load();
    Schema schema = table.schema();
    warehouse.append(
        List.of(
            warehouse.batch(
                table, BlockKind.UPSERT, schema, List.of(List.of(1L, "a"), List.of(4L, "a")), null),
            warehouse.batch(
                table,
                BlockKind.DELETE,
                new Schema(schema.findField("id")),
                List.of(List.of(4L), List.of(2L)),
                null),
            warehouse.batch(
                table,
                BlockKind.UPSERT,
                schema,
                List.of(List.of(2L, "b"), List.of(1L, "c")),
                null)));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("1,c", "2,b", "3,old");
    assertThat(warehouse.rowsWithIds()).contains("1,c,0", "3,old,2").doesNotContain("2,b,1");
    assertThat(folder.resolve("spill")).isEmptyDirectory();
  }

  @Test
  void aHugeSegmentOfAnAppendOnlyTableIsWrittenInPartsAndCommittedAtOnce() {
    warehouse.create(new Schema(SCHEMA.columns()));
    warehouse.limitCycles(1);
    Table table = warehouse.load();
    Schema schema = table.schema();
    warehouse.append(
        List.of(
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(1L, "a")), null),
            warehouse.batch(table, BlockKind.TRUNCATE, schema, List.of(), null),
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(2L, "b")), null),
            warehouse.batch(table, BlockKind.FLUSH, schema, List.of(), null),
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(3L, "c")), null)));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("2,b", "3,c");
    assertThat(files()).hasSize(2);
  }

  @Test
  void aHugeSegmentThatTruncatesKeepsWhatCameAfter() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "old"), List.of(9L, "old"));
    warehouse.step();
    warehouse.limitCycles(1);
    Table table = warehouse.load();
    Schema schema = table.schema();
    warehouse.append(
        List.of(
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(2L, "a")), null),
            warehouse.batch(table, BlockKind.TRUNCATE, schema, List.of(), null),
            warehouse.batch(table, BlockKind.FLUSH, schema, List.of(), null),
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(1L, "b")), null)));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("1,b");
    assertThat(warehouse.rowsWithIds()).doesNotContain("1,b,0");
  }

  // A run file is larger than one batch, and a chunk smaller than all keys.
  @Test
  void manyRowsInRunsMatchAMap() {
    warehouse.create(SCHEMA);
    warehouse.limitCycles(60_000);
    Random random = new Random(11);
    TreeMap<Long, String> expected = new TreeMap<>();
    for (int segment = 0; segment < 2; segment++) {
      Table table = warehouse.load();
      List<io.icewal.wal.AppendBatch> batches = new java.util.ArrayList<>();
      for (int b = 0; b < 6; b++) {
        List<List<Object>> rows = new java.util.ArrayList<>();
        for (int i = 0; i < 5000; i++) {
          long key = random.nextInt(20_000);
          rows.add(List.of(key, segment + "-" + b + "-" + i));
          expected.put(key, segment + "-" + b + "-" + i);
        }
        batches.add(warehouse.batch(table, BlockKind.UPSERT, table.schema(), rows, null));
        batches.add(warehouse.batch(table, BlockKind.FLUSH, table.schema(), List.of(), null));
      }
      warehouse.append(batches);
    }

    assertThat(warehouse.materializeAll())
        .containsExactlyInAnyOrderElementsOf(
            expected.entrySet().stream().map(e -> e.getKey() + "," + e.getValue()).toList());
    assertThat(ids()).doesNotHaveDuplicates();
  }

  @Test
  void randomHistoriesMatchAMapHoweverTheyAreCut() {
    for (int seed = 0; seed < 6; seed++) {
      try (Warehouse one = new Warehouse(folder.resolve("seed" + seed))) {
        one.create(SCHEMA);
        TreeMap<Long, String> expected = new TreeMap<>();
        Random random = new Random(seed);
        for (int i = 0; i < 25; i++) {
          randomBatch(one, random, expected, "v" + i);
          if (random.nextInt(3) == 0) {
            one.step(random.nextBoolean() ? one.cold() : one.without("lookAfterUnknown"));
          }
          if (random.nextInt(8) == 0) {
            compact(one);
          }
        }
        assertThat(one.materializeAll())
            .as("seed " + seed)
            .containsExactlyInAnyOrderElementsOf(
                expected.entrySet().stream().map(e -> e.getKey() + "," + e.getValue()).toList());
      }
    }
  }

  private static void randomBatch(
      Warehouse one, Random random, TreeMap<Long, String> expected, String value) {
    long key = random.nextInt(12);
    int kind = random.nextInt(10);
    if (kind == 0) {
      one.truncate();
      expected.clear();
    } else if (kind < 4) {
      one.delete(List.of(key));
      expected.remove(key);
    } else {
      one.upsert(List.of(key, value), List.of(key + 1, value), List.of(key, value + "!"));
      expected.put(key + 1, value);
      expected.put(key, value + "!");
    }
  }

  private void compact() {
    compact(warehouse);
  }

  /// Rewrites all data files into one in Iceberg's own way, with both lineage columns.
  private static void compact(Warehouse one) {
    ForeignCompaction.run(one.load());
  }

  private List<DeleteFile> vectors() {
    return tasks().stream().flatMap(task -> task.deletes().stream()).toList();
  }

  private List<DataFile> files() {
    return tasks().stream().map(FileScanTask::file).toList();
  }

  private List<FileScanTask> tasks() {
    try (CloseableIterable<FileScanTask> tasks =
        warehouse.load().newScan().includeColumnStats().planFiles()) {
      return List.copyOf(
          java.util.stream.StreamSupport.stream(tasks.spliterator(), false).toList());
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private List<String> ids() {
    return warehouse.rowsWithIds().stream()
        .map(row -> row.substring(row.lastIndexOf(',') + 1))
        .toList();
  }
}
