package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.table.TablePosition;
import io.trino.testing.QueryFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Tables that Trino makes are tables of icewal, ready for every other writer.
@ExtendWith(TrinoServer.Shared.class)
class CreateTableTest {
  private final TrinoServer trino;
  private final TestTables tables;

  CreateTableTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  @Test
  void createdTableHasItsKeyAndItsPosition() {
    trino.execute(
        "CREATE TABLE made (id bigint, day date, v varchar COMMENT 'a value')"
            + " COMMENT 'a table' WITH (primary_key = ARRAY['id', 'day'], partitioning ="
            + " ARRAY['month(day)'])");

    Table table = tables.load("made");
    assertThat(TablePosition.valid(table)).isPresent();
    assertThat(table.schema().identifierFieldNames()).containsExactlyInAnyOrder("id", "day");
    assertThat(table.schema().findField("id").isRequired()).isTrue();
    assertThat(table.properties())
        .containsEntry("write.metadata.delete-after-commit.enabled", "true");
    assertThat(trino.rows("SHOW CREATE TABLE made").get(0))
        .contains("primary_key = ARRAY['id','day']")
        .contains("month(day)")
        .contains("id bigint NOT NULL")
        .contains("COMMENT 'a value'")
        .contains("format_version = 3");
    tables.upsert("made", tables.row("made", 1L, java.time.LocalDate.of(2024, 1, 1), "flight"));
    trino.execute("INSERT INTO made VALUES (2, DATE '2024-01-01', 'sql')");
    trino.execute("UPDATE made SET v = 'new' WHERE id = 1");
    assertThat(trino.rows("SELECT id, v FROM made")).containsExactly("1|new", "2|sql");
  }

  @Test
  void tableWithoutKeyIsAppendOnly() {
    trino.execute("CREATE TABLE log_only (n integer)");
    trino.execute("INSERT INTO log_only VALUES 1, 1");

    assertThat(TablePosition.valid(tables.load("log_only"))).isPresent();
    assertThat(trino.rows("SELECT * FROM log_only")).containsExactly("1", "1");
    assertThat(trino.rows("SHOW CREATE TABLE log_only").get(0)).doesNotContain("primary_key");
  }

  @Test
  void createdFromAQueryHasOneRowOfEachKeyInFiles() {
    trino.execute(
        "CREATE TABLE copied WITH (primary_key = ARRAY['id']) AS"
            + " SELECT CAST(x % 100 AS bigint) id, 'v' v FROM UNNEST(sequence(1, 1000)) t(x)");

    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM copied"))
        .containsExactly("100|100");
    assertThat(trino.rows("SELECT rows FROM \"copied$tail\"")).containsExactly("0");
    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM stock.s.copied"))
        .containsExactly("100|100");
    assertThat(TablePosition.valid(tables.load("copied"))).isPresent();
  }

  @Test
  void failedCreationFromAQueryLeavesNoTable() {
    assertThatThrownBy(
            () ->
                trino.execute(
                    "CREATE TABLE never AS SELECT 1 / (x - 900) y FROM"
                        + " UNNEST(sequence(1, 1000)) t(x)"))
        .hasMessageContaining("Division by zero");

    assertThat(trino.rows("SHOW TABLES LIKE 'never'")).isEmpty();
  }

  @Test
  void replacedTableBeginsAnew() {
    trino.execute("CREATE TABLE again WITH (primary_key = ARRAY['id']) AS SELECT 1 id, 'a' v");
    trino.execute("INSERT INTO again VALUES (2, 'in the log')");

    trino.execute("CREATE OR REPLACE TABLE again (k varchar) WITH (primary_key = ARRAY['k'])");
    assertThat(trino.rows("SELECT * FROM again")).isEmpty();
    trino.execute("INSERT INTO again VALUES 'x'");
    assertThat(trino.rows("SELECT * FROM again")).containsExactly("x");
    trino.execute("CREATE OR REPLACE TABLE again AS SELECT 5 n");
    assertThat(trino.rows("SELECT * FROM again")).containsExactly("5");
    assertThat(tables.idsInLog("again")).containsExactly(tables.load("again").uuid());

    trino.execute("DROP TABLE again");
    trino.execute("CREATE TABLE again (id integer)");
    assertThat(trino.rows("SELECT * FROM again")).isEmpty();
    assertThat(TablePosition.valid(tables.load("again"))).isPresent();
  }

  @Test
  void whoReadsWhileAQueryReplacesATableSeesOldOrNewRowsButNeverNone() throws Exception {
    String rows = " TABLE shown WITH (primary_key = ARRAY['id']) AS SELECT id, %d v FROM";
    String hundred = " (SELECT i %% 100 id FROM UNNEST(sequence(1, 150)) u(i))";
    trino.execute("CREATE" + (rows + hundred).formatted(0));
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<List<String>> reads =
        CompletableFuture.supplyAsync(
            () -> {
              List<String> seen = new ArrayList<>();
              while (!done.get()) {
                try {
                  seen.addAll(trino.rows("SELECT count(*), max(v) - min(v) FROM shown"));
                } catch (QueryFailedException e) {
                  assertThat(e).hasMessageContaining("while the query was being planned");
                }
              }
              return seen;
            });

    for (int i = 1; i <= 6; i++) {
      trino.execute("CREATE OR REPLACE" + (rows + hundred).formatted(i));
    }
    done.set(true);

    assertThat(reads.get()).isNotEmpty().containsOnly("100|0");
    assertThat(trino.rows("SELECT max(v) FROM shown")).containsExactly("6");
  }

  @Test
  void aTableThatAQueryReplacedIsOneLikeAnyOther() {
    trino.execute("CREATE TABLE renewed (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO renewed VALUES (1, 'old'), (9, 'old')");
    trino.execute(
        "CREATE OR REPLACE TABLE renewed (v, part, id)"
            + " WITH (primary_key = ARRAY['id', 'part'], partitioning = ARRAY['part'])"
            + " AS VALUES ('a', 'x', 1), ('b', 'x', 2), ('c', 'y', 3)");
    assertThat(trino.rows("SELECT rows FROM \"renewed$tail\"")).containsExactly("0");

    trino.execute("UPDATE renewed SET v = 'bb' WHERE id = 2");
    trino.execute("INSERT INTO renewed VALUES ('cc', 'y', 3), ('d', 'z', 4)");
    List<String> rows = List.of("1|x|a", "2|x|bb", "3|y|cc", "4|z|d");
    assertThat(trino.rows("SELECT id, part, v FROM renewed")).isEqualTo(rows);
    trino.execute("CALL icewal.system.materialize('s', 'renewed')");
    assertThat(trino.rows("SELECT id, part, v FROM renewed")).isEqualTo(rows);
    assertThat(trino.rows("SELECT id, part, v FROM stock.s.renewed")).isEqualTo(rows);
    assertThat(trino.rows("SELECT count(DISTINCT \"$row_id\") FROM renewed")).containsExactly("4");
  }

  @Test
  void aFailureBeforeAQueryReplacesATableLeavesTheOldOne() {
    trino.execute("CREATE TABLE left_alone (id bigint) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO left_alone VALUES 1");
    trino.execute("CALL icewal.system.materialize('s', 'left_alone')");
    trino.execute("INSERT INTO left_alone VALUES 2");

    // The rows are staged by then, and are read for the new table's files.
    trino.hooks.beforeNextRead(
        "/staged/",
        () -> {
          throw new IcewalException(ErrorKind.UNAVAILABLE, "the store is away");
        });
    assertThatThrownBy(
            () ->
                trino.execute(
                    "CREATE OR REPLACE TABLE left_alone WITH (primary_key = ARRAY['k'])"
                        + " AS SELECT 'new' k"))
        .hasMessageContaining("the store is away");

    assertThat(trino.rows("SELECT id FROM left_alone")).containsExactly("1", "2");
    trino.execute("UPDATE left_alone SET id = 3 WHERE id = 2");
    trino.execute("CALL icewal.system.materialize('s', 'left_alone')");
    assertThat(trino.rows("SELECT id FROM stock.s.left_alone")).containsExactly("1", "3");
  }

  @Test
  void whatTheLogHoldsOfATableThatQueriesReplaceIsTheTablesOwn() {
    trino.execute("CREATE TABLE known WITH (primary_key = ARRAY['id']) AS SELECT 1 id, 'a' v");
    trino.execute("CREATE OR REPLACE TABLE known AS SELECT 2 id, 'b' v");
    trino.execute(
        "CREATE OR REPLACE TABLE known WITH (primary_key = ARRAY['id']) AS SELECT 3 id, 'c' v");
    assertThat(tables.idsInLog("known")).isEmpty();
    assertThat(trino.rows("SELECT id, v FROM stock.s.known")).containsExactly("3|c");

    tables.upsert("known", tables.row("known", 3, "d"));
    assertThat(tables.idsInLog("known")).containsExactly(tables.load("known").uuid());
    assertThat(trino.rows("SELECT id, v FROM known")).containsExactly("3|d");
  }

  @Test
  void whatOthersWriteWhileAQueryReplacesATableGoesWithTheOldOne() {
    trino.execute("CREATE TABLE overrun (id integer) WITH (primary_key = ARRAY['id'])");
    trino.beforeNextStagedBlock(
        () -> {
          tables.upsert("overrun", tables.row("overrun", 1));
          tables.materialize("overrun");
          tables.trim();
        });

    trino.execute(
        "CREATE OR REPLACE TABLE overrun WITH (primary_key = ARRAY['id']) AS SELECT 2 id");

    assertThat(trino.rows("SELECT id FROM overrun")).containsExactly("2");
    tables.materialize("overrun");
    assertThat(trino.rows("SELECT id FROM stock.s.overrun")).containsExactly("2");
    tables.upsert("overrun", tables.row("overrun", 3));
    assertThat(trino.rows("SELECT id FROM overrun")).containsExactly("2", "3");
  }

  @Test
  void filesOfATableLieWhereItsOwnPropertiesSay() {
    trino.execute("CREATE TABLE placed AS SELECT 1 n");
    String folder = tables.load("placed").location() + "/own";
    trino.execute(
        "CREATE OR REPLACE TABLE placed WITH (object_store_layout_enabled = true, data_location = '"
            + folder
            + "') AS SELECT 2 n");

    assertThat(trino.rows("SELECT \"$path\" LIKE '" + folder + "/%', n FROM placed"))
        .containsExactly("true|2");
  }

  @Test
  void aQueryWithoutRowsReplacesATableByAnEmptyOne() {
    trino.execute("CREATE TABLE emptied_by_query AS SELECT 1 n");
    trino.execute("CREATE OR REPLACE TABLE emptied_by_query AS SELECT 2 n WHERE false");
    assertThat(trino.rows("SELECT * FROM emptied_by_query")).isEmpty();
    trino.execute("INSERT INTO emptied_by_query VALUES 3");
    assertThat(trino.rows("SELECT * FROM emptied_by_query")).containsExactly("3");
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThatThrownBy(
            () -> trino.execute("CREATE TABLE bad (a bigint) WITH (primary_key = ARRAY['b'])"))
        .hasMessageContaining("primary_key names column 'b'");
    assertThatThrownBy(
            () -> trino.execute("CREATE TABLE bad (a double) WITH (primary_key = ARRAY['a'])"))
        .hasMessageContaining("primary key [a] cannot be");
    assertThatThrownBy(
            () ->
                trino.execute(
                    "CREATE TABLE bad (a bigint) WITH (primary_key = ARRAY['a'],"
                        + " format_version = 2)"))
        .hasMessageContaining("primary_key needs format_version = 3");
    assertThatThrownBy(() -> trino.execute("CREATE TABLE bad (a variant)"))
        .hasMessageContaining("variant");
    trino.execute("CREATE TABLE keyed (a bigint, b bigint) WITH (primary_key = ARRAY['a'])");
    assertThatThrownBy(() -> trino.execute("CREATE TABLE keyed (a bigint)"))
        .hasMessageContaining("already exists");
    assertThatThrownBy(
            () -> trino.execute("ALTER TABLE keyed SET PROPERTIES primary_key = ARRAY['b']"))
        .hasMessageContaining("primary_key");
    assertThatThrownBy(() -> trino.execute("ALTER TABLE keyed DROP COLUMN a"))
        .hasMessageContaining("a");
    trino.execute("CREATE TABLE IF NOT EXISTS keyed (c bigint)");
    assertThat(trino.rows("SHOW TABLES LIKE 'bad'")).isEmpty();
  }

  @Test
  void tablesOfFormatTwoAreNotIcewals() {
    trino.execute("CREATE TABLE two WITH (format_version = 2) AS SELECT 1 a");
    trino.execute("INSERT INTO two VALUES 2");
    trino.execute("DELETE FROM two WHERE a = 1");

    assertThat(TablePosition.read(tables.load("two"))).isEmpty();
    assertThat(trino.rows("SELECT * FROM two")).containsExactly("2");
  }
}
