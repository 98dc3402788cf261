package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.materialize.MaterializeResult.Status;
import io.icewal.table.HookedTable;
import io.icewal.table.TestWarehouse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Others move the table while a cycle is at work, or its answer is lost.
final class MaterializeConflictTest {
  private static final Schema SCHEMA = Warehouse.SCHEMA;

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

  /// Case b022: the process dies between its files and its commit. Nobody ever sees them as data,
  /// and nobody deletes them, as the commit might still be on its way; orphan removal will.
  @Test
  void b022_filesOfAnAttemptThatDiedAreNeverData() throws IOException {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    for (int death = 0; death < 3; death++) {
      warehouse.hook(
          commit -> {
            throw new Killed();
          });
      assertThatThrownBy(() -> warehouse.step(warehouse.cold())).isInstanceOf(Killed.class);
      assertThat(warehouse.rows()).isEmpty();
    }
    warehouse.upsert(List.of(2L, "c"));

    assertThat(warehouse.materializeAll()).containsExactly("1,a", "2,c");
    assertThat(warehouse.files()).hasSize(1);
    try (Stream<Path> tree = Files.walk(folder)) {
      assertThat(tree.filter(path -> path.toString().endsWith(".parquet"))).hasSize(4);
    }
    warehouse.upsert(List.of(1L, "d"));
    assertThat(warehouse.materializeAll()).containsExactly("1,d", "2,c");
  }

  /// Ends the attempt at once, as a signal does.
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
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

  // b028, b182
  @Test
  void b028_compactionBetweenLookingAndCommittingIsLookedIntoAgain() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "new"));
    warehouse.hook(HookedTable.before(warehouse::compact));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("1,new", "2,b");
    warehouse.compact();
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

  @Test
  void aKeyThatIsPromotedDuringTheCommitIsReadAnew() {
    warehouse.create(
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.IntegerType.get()),
                NestedField.optional(2, "v", Types.StringType.get())),
            Set.of(1)));
    warehouse.upsert(List.of(7, "mine"), List.of(8, "mine"));
    warehouse.hook(
        HookedTable.before(
            () -> {
              warehouse.load().updateSchema().updateColumn("id", Types.LongType.get()).commit();
              warehouse.tables().append(List.of(List.of(7L, "theirs")));
            }));

    assertThat(warehouse.step().status()).isEqualTo(Status.CONFLICT);
    assertThat(warehouse.materializeAll()).containsExactly("7,mine", "8,mine");
  }

  @Test
  void rowsThatAreWrittenAgainAfterAColumnCameHaveItsDefault() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "old"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "new"), List.of(2L, "new"));
    AtomicBoolean once = new AtomicBoolean();
    Materializer met =
        warehouse.meeting(
            () -> {
              if (!once.getAndSet(true)) {
                Table table = warehouse.load();
                table.newDelete().deleteFromRowFilter(Expressions.alwaysTrue()).commit();
                table
                    .updateSchema()
                    .addColumn("n", Types.IntegerType.get(), "", Literal.of(4711))
                    .commit();
              }
            });

    assertThat(warehouse.step(met).status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("1,new,4711", "2,new,4711");
  }

  @Test
  void b020_aForeignInsertAfterADeleteHasFoundNothingIsDeletedToo() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse.step();
    warehouse.delete(List.of(7L));
    AtomicBoolean once = new AtomicBoolean();
    Materializer met =
        warehouse.meeting(
            () -> {
              if (!once.getAndSet(true)) {
                warehouse.tables().append(List.of(List.of(7L, "theirs")));
              }
            });

    assertThat(warehouse.step(met).status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("1,a");
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
    warehouse.compact();
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
}
