package io.icewal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.merge.KeyColumns;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.table.CommitOutcome.Committed;
import io.icewal.table.CommitOutcome.Conflict;
import io.icewal.table.CommitOutcome.Moved;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each guard of a commit, and what happens without it. The table holds `1,a`, `2,b`, `3,c` in its
/// first file and `4,d` in its second.
final class TableCommitTest {
  private static final Guards ALL = Guards.ALL;

  @TempDir private Path folder;
  private TestWarehouse warehouse;
  private Table table;
  private TablePosition start;
  private int names;

  @BeforeEach
  void open() {
    warehouse = new TestWarehouse(folder);
    warehouse.create(IcewalTablesTest.SCHEMA, PartitionSpec.unpartitioned());
    warehouse.append(List.of(List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c")));
    warehouse.append(List.of(List.of(4L, "d")));
    table = warehouse.load();
    start = TablePosition.valid(table).orElseThrow();
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  @Test
  void rowsAndPositionGoInTogether() {
    CommitOutcome outcome = commit(ALL).attempt(upsert(table, 0, 1, "2,new"), TestWarehouse.at(5));

    assertThat(outcome).isInstanceOf(Committed.class);
    assertThat(warehouse.rows()).containsExactly("1,a", "2,new", "3,c", "4,d");
    assertThat(position()).isEqualTo(5);
    assertThat(warehouse.load().currentSnapshot().summary())
        .containsEntry(TablePosition.SUMMARY, TestWarehouse.at(5).toString());
  }

  @Test
  void anEmptyChangeStillMakesASnapshot() {
    long before = table.currentSnapshot().snapshotId();
    TableChange empty = new TableChange(before, List.of(), DeletionVectors.NONE);

    assertThat(commit(ALL).attempt(empty, TestWarehouse.at(2))).isInstanceOf(Committed.class);

    assertThat(warehouse.load().currentSnapshot().parentId()).isEqualTo(before);
    assertThat(position()).isEqualTo(2);
    assertThat(warehouse.rows()).hasSize(4);
  }

  // b004: the position is compared inside the commit attempt, not before it.
  @Test
  void b004_aSecondMaterializerIsFencedInsideItsCommit() {
    Runnable rival = () -> commit(ALL).attempt(append("7,mine", true), TestWarehouse.at(3));

    CommitOutcome outcome =
        commit(ALL, HookedTable.before(rival)).attempt(append("7,mine", true), TestWarehouse.at(3));

    assertThat(outcome).isInstanceOf(Moved.class);
    assertThat(warehouse.rows()).containsExactly("1,a", "2,b", "3,c", "4,d", "7,mine");
  }

  @Test
  void b004_withoutThePositionGuardRowsAreDoubled() {
    Runnable rival = () -> commit(ALL).attempt(append("7,mine", true), TestWarehouse.at(3));

    commit(without("position"), HookedTable.before(rival))
        .attempt(append("7,mine", true), TestWarehouse.at(3));

    assertThat(warehouse.rows()).contains("7,mine").hasSize(6);
  }

  // b028
  @Test
  void b028_deletionVectorsForFilesThatCompactionRemovedAreRefused() {
    TableChange change = upsert(table, 0, 1, "2,new");
    compact();

    assertThat(commit(ALL).attempt(change, TestWarehouse.at(5))).isInstanceOf(Conflict.class);
    assertThat(warehouse.rows()).containsExactly("1,a", "2,b", "3,c", "4,d");
  }

  @Test
  void b028_withoutDataFilesExistTheOldRowComesBack() {
    TableChange change = upsert(table, 0, 1, "2,new");
    compact();

    commit(without("dataFilesExist")).attempt(change, TestWarehouse.at(5));

    assertThat(warehouse.rows()).contains("2,b", "2,new");
  }

  // b026
  @Test
  void b026_aRivalsVectorOnTheSameFileIsNotOverwritten() {
    TableChange change = upsert(table, 0, 1, "2,new");
    foreignDelete(0, 2);

    assertThat(commit(ALL).attempt(change, TestWarehouse.at(5))).isInstanceOf(Conflict.class);

    Table now = warehouse.load();
    commit(now, ALL).attempt(upsert(now, 0, 1, "2,new"), TestWarehouse.at(5));
    assertThat(warehouse.rows()).containsExactly("1,a", "2,new", "4,d");
    assertThat(vectors()).hasSize(1);
  }

  @Test
  void withoutFromSnapshotNoSecondVectorOfAFileIsEverAccepted() {
    foreignDelete(0, 2);
    Table now = warehouse.load();

    assertThat(commit(now, without("fromSnapshot")).attempt(upsert(now, 0, 1, "2,n"), at(5)))
        .isInstanceOf(Conflict.class);
    assertThat(commit(now, ALL).attempt(upsert(now, 0, 1, "2,n"), at(5)))
        .isInstanceOf(Committed.class);
  }

  @Test
  void withoutRemovingReplacedVectorsTheTableIsUnreadable() {
    foreignDelete(0, 2);
    Table now = warehouse.load();

    commit(now, without("removeReplaced")).attempt(upsert(now, 0, 1, "2,new"), at(5));

    assertThatThrownBy(() -> warehouse.rows()).hasMessageContaining("multiple DVs");
  }

  // b020
  @Test
  void b020_foreignRowsWithMaybeTheSameKeyAreNoticed() {
    TableChange change = append("7,mine", false);
    warehouse.append(List.of(List.of(7L, "theirs")));

    assertThat(commit(ALL).attempt(change, at(5))).isInstanceOf(Conflict.class);
    assertThat(commit(without("noConflictingData")).attempt(change, at(5)))
        .isInstanceOf(Committed.class);
    assertThat(warehouse.rows()).contains("7,mine", "7,theirs");
  }

  @Test
  void b020_foreignRowsAreNoticedByAChangeThatFoundNothingToDelete() {
    long base = table.currentSnapshot().snapshotId();
    TableChange empty = new TableChange(base, List.of(), DeletionVectors.NONE);
    warehouse.append(List.of(List.of(7L, "theirs")));

    assertThat(commit(ALL).attempt(empty, at(5))).isInstanceOf(Conflict.class);
    assertThat(commit(without("noConflictingData")).attempt(empty, at(5)))
        .isInstanceOf(Committed.class);
  }

  @Test
  void aFileThatIsGoneCannotBeRemoved() {
    LiveFile second = file(table, 1);
    DeletionVectors all =
        new DeletionVectors(List.of(), List.of(), List.of(), List.of(second.file()));
    TableChange change = new TableChange(id(table), List.of(write("4,new")), all);
    compact();

    assertThat(commit(ALL).attempt(change, at(5))).isInstanceOf(Conflict.class);
    commit(without("deletedFiles", "exactBase")).attempt(change, at(5));
    assertThat(warehouse.rows()).contains("4,d", "4,new");
  }

  // A row that somebody deletes meanwhile must not live on under its old id.
  @Test
  void aFileIsRemovedOnlyAsItWasSeen() {
    TableChange change = upsert(table, 1, 0, "4,new");
    assertThat(change.deletes().removedFiles()).hasSize(1);
    foreignDelete(0, 2);

    assertThat(commit(ALL).attempt(change, at(5))).isInstanceOf(Conflict.class);
    assertThat(commit(without("exactBase")).attempt(change, at(5))).isInstanceOf(Committed.class);
  }

  @Test
  void withoutASnapshotThePositionMovesAlone() {
    TableChange empty = new TableChange(id(table), List.of(), DeletionVectors.NONE);

    commit(without("snapshotAlways")).attempt(empty, at(2));

    assertThat(warehouse.load().currentSnapshot().snapshotId()).isEqualTo(id(table));
    assertThat(position()).isEqualTo(2);
  }

  // b157
  @Test
  void b157_aCommitWhoseAnswerWasLostIsRecognised() {
    HookedTable.Hook unknown =
        HookedTable.landsBut(cause -> new CommitStateUnknownException(cause));
    HookedTable.Hook sql =
        HookedTable.landsBut(
            cause -> new UncheckedSQLException(new SQLException(cause), "Unknown failure"));

    assertThat(commit(ALL, unknown).attempt(append("7,x", false), at(5)))
        .isInstanceOf(Committed.class);
    Table now = warehouse.load();
    start = TablePosition.valid(now).orElseThrow();
    assertThat(commit(now, ALL, sql).attempt(append(now, "8,y"), at(6)))
        .isInstanceOf(Committed.class);
    assertThat(warehouse.rows()).hasSize(6);
    assertThat(position()).isEqualTo(6);
  }

  @Test
  void b157_aCommitThatDidNotLandIsTriedAgainOnTheSamePosition() {
    HookedTable.Hook lost = HookedTable.fails(cause -> new CommitStateUnknownException(cause));

    assertThat(commit(ALL, lost).attempt(append("7,x", false), at(5)))
        .isEqualTo(new Conflict(lostMessage(), true));
    assertThat(commit(ALL).attempt(append("7,x", false), at(5))).isInstanceOf(Committed.class);
    assertThat(warehouse.rows()).hasSize(5);
  }

  @Test
  void b157_withoutLookingTheOutcomeStaysUnknown() {
    HookedTable.Hook unknown =
        HookedTable.landsBut(cause -> new CommitStateUnknownException(cause));

    assertThatThrownBy(
            () -> commit(without("lookAfterUnknown"), unknown).attempt(append("7,x", false), at(5)))
        .isInstanceOf(CommitStateUnknownException.class);
  }

  // b158: a client that repeats by itself may be told "conflict" about its own commit.
  @Test
  void b158_aConflictWithTheOwnCommitIsSuccess() {
    HookedTable.Hook conflict =
        HookedTable.landsBut(cause -> new CommitFailedException(cause, "409"));

    assertThat(commit(ALL, conflict).attempt(append("7,x", false), at(5)))
        .isInstanceOf(Committed.class);
    assertThat(warehouse.rows()).hasSize(5).contains("7,x");
  }

  // b158: Iceberg would take the manifests of what has landed away.
  @Test
  void b158_anyRefusalOfARepeatOfTheOwnCommitIsSuccess() {
    HookedTable.Hook refusal = HookedTable.landsBut(cause -> new BadRequestException("400"));

    assertThat(commit(ALL, refusal).attempt(append("7,x", false), at(5)))
        .isInstanceOf(Committed.class);
    assertThat(warehouse.rows()).hasSize(5).contains("7,x");
  }

  @Test
  void anUnknownCommitThatLandsLateIsNotAppliedTwice() {
    Runnable[] late = new Runnable[1];
    HookedTable.Hook delayed =
        commit -> {
          late[0] = commit;
          throw new CommitStateUnknownException(new IllegalStateException("slow"));
        };

    assertThat(commit(ALL, delayed).attempt(append("7,x", false), at(5)))
        .isInstanceOf(Conflict.class);
    CommitOutcome again =
        commit(warehouse.load(), ALL, HookedTable.before(late[0]))
            .attempt(append("7,x", false), at(5));

    assertThat(again).isInstanceOf(Moved.class);
    assertThat(warehouse.rows()).hasSize(5);
  }

  // b172
  @Test
  void b172_aTableThatWasDroppedIsNamed() {
    warehouse.catalog().dropTable(TestWarehouse.name(), false);

    assertThatThrownBy(() -> commit(ALL).attempt(append("7,x", false), at(5)))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
        .hasMessageContaining("gone");
  }

  @Test
  void aReplacedTableTakesNothing() {
    TableChange change = append("7,x", true);
    warehouse
        .catalog()
        .buildTable(TestWarehouse.name(), IcewalTablesTest.SCHEMA)
        .withProperties(table.properties())
        .replaceTransaction()
        .commitTransaction();

    assertThat(commit(ALL).attempt(change, at(5))).isInstanceOf(Moved.class);
    assertThat(warehouse.rows()).isEmpty();
  }

  // b037
  @Test
  void b037_vectorsCarryFileOffsetSizeAndCount() {
    commit(ALL).attempt(upsert(table, 0, 1, "2,new"), at(5));

    DeleteFile vector = vectors().get(0);
    assertThat(vector.referencedDataFile()).isEqualTo(file(table, 0).location());
    assertThat(vector.contentOffset()).isNotNull().isPositive();
    assertThat(vector.contentSizeInBytes()).isNotNull().isPositive();
    assertThat(vector.recordCount()).isEqualTo(1);
    assertThat(vector.fileSizeInBytes()).isPositive();
  }

  @Test
  void aFileWithoutAnyRowLeftIsRemoved() {
    commit(ALL).attempt(upsert(table, 1, 0, "4,new"), at(5));

    assertThat(warehouse.rows()).containsExactly("1,a", "2,b", "3,c", "4,new");
    assertThat(vectors()).isEmpty();
    assertThat(LiveFiles.of(warehouse.load(), key(), new ManifestCache()).files()).hasSize(2);
  }

  // The cost of a commit: only the manifests that changed are read.
  @Test
  void replacedVectorsKnowTheirManifest() {
    foreignDelete(0, 2);
    Table now = warehouse.load();

    TableChange change = upsert(now, 0, 1, "2,new");

    assertThat(change.deletes().replaced())
        .singleElement()
        .satisfies(delete -> assertThat(delete.manifestLocation()).isNotNull());
  }

  private String lostMessage() {
    return new CommitStateUnknownException(new IllegalStateException("request lost")).getMessage();
  }

  private TableCommit commit(Guards guards, HookedTable.Hook... hooks) {
    return commit(table, guards, hooks);
  }

  private TableCommit commit(Table at, Guards guards, HookedTable.Hook... hooks) {
    return new TableCommit(HookedTable.of(at, hooks), start, guards);
  }

  private TableChange upsert(Table at, int file, long row, String newRow) {
    DeletionVectors deletes = DeletionVectors.write(at, oldRows(at, file, row), unique("test"));
    return new TableChange(id(at), List.of(write(newRow)), deletes);
  }

  private TableChange append(String row, boolean appendOnly) {
    return new TableChange(
        appendOnly ? null : id(table), List.of(write(row)), DeletionVectors.NONE);
  }

  private TableChange append(Table at, String row) {
    return new TableChange(id(at), List.of(write(row)), DeletionVectors.NONE);
  }

  private DataFile write(String row) {
    String[] parts = row.split(",", -1);
    return TestWarehouse.write(table, List.of(List.of(Long.parseLong(parts[0]), parts[1])));
  }

  private static FoundRows oldRows(Table at, int file, long... rows) {
    LiveFile live = file(at, file);
    long[] ids = new long[rows.length];
    Arrays.fill(ids, OldRows.NO_ROW_ID);
    FoundRows found = new FoundRows();
    found.add(
        new OldRows(
            Map.of(
                live.location(),
                new OldRows.InFile(
                    live, new DeleteLoader(at).load(live), new int[rows.length], rows, ids))));
    return found;
  }

  private static LiveFile file(Table at, int number) {
    return LiveFiles.of(at, key(), new ManifestCache()).files().stream()
        .sorted((a, b) -> Long.compare(b.file().recordCount(), a.file().recordCount()))
        .toList()
        .get(number);
  }

  private static KeyColumns key() {
    return KeyColumns.of(IcewalTablesTest.SCHEMA);
  }

  private void foreignDelete(int file, long row) {
    Table now = warehouse.load();
    DeletionVectors vectors =
        DeletionVectors.write(now, oldRows(now, file, row), unique("foreign"));
    now.newRowDelta().addDeletes(vectors.added().get(0)).commit();
  }

  private void compact() {
    Table now = warehouse.load();
    List<LiveFile> files = List.copyOf(LiveFiles.of(now, key(), new ManifestCache()).files());
    now.newRewrite()
        .validateFromSnapshot(id(now))
        .rewriteFiles(
            java.util.Set.copyOf(files.stream().map(LiveFile::file).toList()),
            java.util.Set.of(
                TestWarehouse.write(
                    now,
                    List.of(
                        List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c"), List.of(4L, "d")))))
        .commit();
  }

  private List<DeleteFile> vectors() {
    return LiveFiles.of(warehouse.load(), key(), new ManifestCache()).files().stream()
        .flatMap(file -> file.deletes().stream())
        .toList();
  }

  private String unique(String name) {
    return name + "-" + names++;
  }

  private static long id(Table at) {
    return Objects.requireNonNull(at.currentSnapshot()).snapshotId();
  }

  private static io.icewal.model.Position at(long number) {
    return TestWarehouse.at(number);
  }

  private long position() {
    return TablePosition.valid(warehouse.load()).orElseThrow().position().number();
  }

  private static Guards without(String... guards) {
    return TestGuards.without(guards);
  }
}
