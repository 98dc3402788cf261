package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.Session;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Tables that are altered, replaced or made anew while a statement is on its way.
@ExtendWith(TrinoServer.Shared.class)
class ConcurrentChangeTest {
  private static final String BOUNDARIES = "/boundary/";
  private static final String SEGMENTS = "/segments/";

  private final TrinoServer trino;
  private final TestTables tables;

  ConcurrentChangeTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  /// 1 in a file, 2 in the log.
  private void fill(String table) {
    tables.create(table, TestTables.KEYED);
    tables.upsert(table, tables.row(table, 1L, "file"));
    tables.materialize(table);
    tables.upsert(table, tables.row(table, 2L, "log"));
  }

  @Test
  void rowsThatCameWhileATableWasReplacedAreGoneWithIt() {
    fill("replaced");

    trino.beforeNextStagedBlock(
        () -> tables.upsert("replaced", tables.row("replaced", 3L, "of the old table")));
    trino.execute(
        "CREATE OR REPLACE TABLE replaced WITH (primary_key = ARRAY['id'])"
            + " AS SELECT BIGINT '7' id, 'new' v");

    assertThat(trino.rows("SELECT * FROM replaced")).containsExactly("7|new");
    tables.materialize("replaced");
    assertThat(trino.rows("SELECT * FROM stock.s.replaced")).containsExactly("7|new");
  }

  @Test
  void anUpdateNeverLosesAColumnThatCameWhileItWasPlanned() {
    fill("widened");

    trino.hooks.beforeNextRead(
        SEGMENTS,
        () -> {
          tables.load("widened").updateSchema().addColumn("n", Types.IntegerType.get()).commit();
          tables.upsert("widened", tables.row("widened", 1L, "wide", 5));
        });
    assertThatThrownBy(() -> trino.execute("UPDATE widened SET v = upper(v) WHERE id = 1"))
        .hasMessageContaining("run it again");

    assertThat(trino.rows("SELECT * FROM widened")).containsExactly("1|wide|5", "2|log|null");
  }

  @Test
  void aReadNeverMixesATableWithItsReplacement() {
    fill("mixed_up");

    trino.hooks.beforeNextRead(
        BOUNDARIES,
        () -> {
          trino.execute(
              "CREATE OR REPLACE TABLE mixed_up (id bigint, v varchar)"
                  + " WITH (primary_key = ARRAY['id'])");
          tables.upsert("mixed_up", tables.row("mixed_up", 9L, "of the new table"));
        });
    assertThatThrownBy(() -> trino.rows("SELECT * FROM mixed_up"))
        .hasMessageContaining("run it again");

    assertThat(trino.rows("SELECT * FROM mixed_up")).containsExactly("9|of the new table");
  }

  @Test
  void aReadNeverShowsHalfOfATableThatWasMadeAnew() {
    fill("reborn");

    trino.hooks.beforeNextRead(
        BOUNDARIES,
        () -> {
          trino.tables.catalog().dropTable(TestTables.name("reborn"), false);
          tables.create("reborn", TestTables.KEYED);
        });
    assertThatThrownBy(() -> trino.rows("SELECT * FROM reborn"))
        .hasMessageContaining("run it again");

    assertThat(trino.rows("SELECT * FROM reborn")).isEmpty();
  }

  @Test
  void aReadNeverLosesTheTailOfATableWhoseKeyIsChanged() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(2, "k", Types.LongType.get())),
            Set.of(1));
    tables.create("key_widened", schema);
    tables.upsert("key_widened", tables.row("key_widened", 1L, 1L));
    tables.materialize("key_widened");
    tables.upsert("key_widened", tables.row("key_widened", 2L, 2L));

    trino.hooks.beforeNextRead(
        BOUNDARIES,
        () -> tables.load("key_widened").updateSchema().setIdentifierFields("id", "k").commit());
    assertThatThrownBy(() -> trino.rows("SELECT * FROM key_widened"))
        .hasMessageContaining("run it again");
  }

  @Test
  void aMaterializationWhileAQueryIsPlannedChangesNothing() {
    fill("moving");

    trino.hooks.beforeNextRead(BOUNDARIES, () -> tables.materialize("moving"));
    assertThat(trino.rows("SELECT * FROM moving")).containsExactly("1|file", "2|log");
  }

  @Test
  void aRollbackLeavesWhatIsInTheLog() {
    fill("rolled");
    long before = tables.load("rolled").currentSnapshot().snapshotId();
    tables.materialize("rolled");
    tables.upsert("rolled", tables.row("rolled", 3L, "later"));

    trino.execute("ALTER TABLE rolled EXECUTE rollback_to_snapshot(" + before + ")");

    assertThat(trino.rows("SELECT * FROM rolled")).containsExactly("1|file", "3|later");
    tables.materialize("rolled");
    assertThat(trino.rows("SELECT * FROM stock.s.rolled")).containsExactly("1|file", "3|later");
  }

  @Test
  void statementsThatReadBeforeTheyWriteReadTheLog() {
    fill("unfresh");
    Session stale = trino.with("fresh", "false");

    for (String statement :
        List.of(
            "UPDATE unfresh SET v = 'x' WHERE id = 1",
            "DELETE FROM unfresh WHERE id = 1",
            "MERGE INTO unfresh u USING (VALUES 1) s(id) ON u.id = s.id WHEN MATCHED THEN DELETE")) {
      assertThatThrownBy(() -> trino.rows(stale, statement))
          .hasMessageContaining("session property fresh");
    }
    trino.rows(stale, "INSERT INTO unfresh VALUES (3, 'inserted')");

    assertThat(trino.rows("SELECT * FROM unfresh"))
        .containsExactly("1|file", "2|log", "3|inserted");
  }

  @Test
  void aReadOfTheSnapshotAsksNothingOfTheLog() {
    fill("offline");
    Session stale = trino.with("fresh", "false");
    trino.rows(stale, "SELECT count(*) FROM offline");

    trino.logStore.reset();
    assertThat(trino.rows(stale, "SELECT * FROM offline")).containsExactly("1|file");

    assertThat(trino.logStore.counts().values()).allMatch(count -> count == 0);
  }
}
