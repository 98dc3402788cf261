package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import io.icewal.table.TablePosition;
import io.icewal.table.TableStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Tables that Spark makes are tables of icewal, ready for every other writer.
@ExtendWith(SparkServer.Shared.class)
class TableStatementsTest {
  private static final String[] PATHS = TableStart.PATHS.toArray(new String[0]);

  private final SparkServer spark;
  private final TestTables tables;

  TableStatementsTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  @Test
  void createdTableHasItsKeyAndItsPosition() {
    spark.execute(
        "CREATE TABLE made (id bigint, day date, v string COMMENT 'a value') USING icewal"
            + " PARTITIONED BY (months(day)) COMMENT 'a table' TBLPROPERTIES ('primary-key' ="
            + " 'ID, day')");

    Table table = tables.load("made");
    assertThat(TablePosition.valid(table)).isPresent();
    assertThat(table.schema().identifierFieldNames()).containsExactlyInAnyOrder("id", "day");
    assertThat(table.schema().findField("id").isRequired()).isTrue();
    assertThat(table.spec().fields().get(0).transform()).hasToString("month");
    assertThat(table.properties())
        .containsEntry("write.metadata.delete-after-commit.enabled", "true")
        .doesNotContainKey("primary-key");
    assertThat(spark.rows("SHOW CREATE TABLE made").get(0))
        .contains("'primary-key' = 'id,day'")
        .contains("months(day)")
        .contains("COMMENT 'a value'")
        .contains("'format-version' = '3'");
    tables.upsert("made", tables.row("made", 1L, java.time.LocalDate.of(2024, 1, 1), "flight"));
    assertThat(spark.rows("SELECT id, v FROM made")).containsExactly("1|flight");
  }

  @Test
  void tableWithoutKeyIsAppendOnly() {
    spark.execute("CREATE TABLE log_only (n int)");
    tables.upsert("log_only", tables.row("log_only", 1), tables.row("log_only", 1));

    assertThat(TablePosition.valid(tables.load("log_only"))).isPresent();
    assertThat(spark.rows("SELECT * FROM log_only")).containsExactly("1", "1");
    assertThat(spark.rows("SHOW TBLPROPERTIES log_only"))
        .noneMatch(row -> row.startsWith("primary-key"));
  }

  @Test
  void appendOnlyTableIsCreatedFromAQuery() {
    spark.execute("CREATE TABLE copied AS SELECT id % 10 AS n FROM range(100)");
    tables.upsert("copied", tables.row("copied", 3L));

    assertThat(TablePosition.valid(tables.load("copied"))).isPresent();
    assertThat(spark.rows("SELECT count(*), count(DISTINCT n) FROM copied"))
        .containsExactly("101|10");
  }

  @Test
  void keyedTableIsMadeFromAQueryWithOneRowOfEachKey() {
    spark.execute(
        "CREATE TABLE made_keyed TBLPROPERTIES ('primary-key' = 'id')"
            + " AS SELECT id % 10 AS id, id AS v FROM range(100)");

    assertThat(TablePosition.valid(tables.load("made_keyed"))).isPresent();
    assertThat(tables.load("made_keyed").schema().identifierFieldNames()).containsExactly("id");
    assertThat(spark.rows("SELECT count(*), count(DISTINCT id), sum(v % 10 - id) FROM made_keyed"))
        .containsExactly("10|10|0");
    assertThat(spark.rows("SELECT count(*) FROM stock." + TestTables.SCHEMA + ".made_keyed"))
        .containsExactly("10");
    assertThat(tables.idsInLog("made_keyed")).isEmpty();
    spark.execute("UPDATE made_keyed SET v = -1 WHERE id = 3");
    spark.execute("DELETE FROM made_keyed WHERE id > 3");
    tables.materialize("made_keyed");
    assertThat(spark.rows("SELECT id, v < 0 FROM stock." + TestTables.SCHEMA + ".made_keyed"))
        .containsExactly("0|false", "1|false", "2|false", "3|true");
  }

  @Test
  void tableThatIsReplacedFromAQueryHasItsRowsAlone() {
    spark.execute("CREATE TABLE remade (id int, v string) TBLPROPERTIES ('primary-key' = 'id')");
    spark.execute("INSERT INTO remade VALUES (1, 'old')");

    spark.execute(
        "CREATE OR REPLACE TABLE remade TBLPROPERTIES ('primary-key' = 'k')"
            + " AS SELECT * FROM VALUES ('a', 1), ('b', 2) AS t(k, n)");
    assertThat(spark.rows("SELECT * FROM remade")).containsExactly("a|1", "b|2");

    spark.execute(
        "REPLACE TABLE remade TBLPROPERTIES ('primary-key' = 'k')"
            + " AS SELECT k, n + 1 AS n FROM remade");
    assertThat(spark.rows("SELECT * FROM remade")).containsExactly("a|2", "b|3");
    assertThat(tables.idsInLog("remade")).containsExactly(tables.load("remade").uuid());

    assertThatThrownBy(
            () ->
                spark.execute(
                    "REPLACE TABLE remade TBLPROPERTIES ('primary-key' = 'k')"
                        + " AS SELECT raise_error('no') AS k FROM range(10)"))
        .hasMessageContaining("no");
    assertThat(spark.rows("SELECT * FROM remade")).containsExactly("a|2", "b|3");
  }

  @Test
  void aFailureBeforeAQueryReplacesATableLeavesTheOldOne() {
    spark.execute(
        "CREATE TABLE left_alone (id int, v string) TBLPROPERTIES ('primary-key' = 'id')");
    tables.upsert("left_alone", tables.row("left_alone", 1, "in a file"));
    tables.materialize("left_alone");
    tables.upsert("left_alone", tables.row("left_alone", 2, "in the log"));

    // The rows are staged by then, and are read for the new table's files.
    spark.logFaults.script(StoreOp.GET, key -> key.contains("/staged/"), Toxic.FAIL_BEFORE);
    assertThatThrownBy(
            () ->
                spark.execute(
                    "CREATE OR REPLACE TABLE left_alone TBLPROPERTIES ('primary-key' = 'k')"
                        + " AS SELECT * FROM VALUES ('a', 1), ('b', 2) AS t(k, n)"))
        .hasMessageContaining("/staged/");

    List<String> old = List.of("1|in a file", "2|in the log");
    assertThat(spark.rows("SELECT * FROM left_alone")).isEqualTo(old);
    tables.materialize("left_alone");
    assertThat(spark.rows("SELECT * FROM stock." + TestTables.SCHEMA + ".left_alone"))
        .isEqualTo(old);
  }

  @Test
  void aTableThatOthersMaterializeAndTrimWhileAQueryReplacesItIsOneLikeAnyOther() {
    for (String key : List.of("'primary-key' = 'id'", "'of' = 'us'")) {
      String table = key.contains("key") ? "overrun" : "overrun_appends";
      spark.execute("CREATE TABLE " + table + " (id int, v string) TBLPROPERTIES (" + key + ")");
      tables.upsert(table, tables.row(table, 1, "old"));
      spark.whenRowsAreRead(
          () -> {
            tables.upsert(table, tables.row(table, 2, "meanwhile"));
            tables.materialize(table);
            tables.trim();
          });
      spark.execute(
          "CREATE OR REPLACE TABLE "
              + table
              + " TBLPROPERTIES ("
              + key
              + ") AS SELECT int(id) AS id, when_read('new') AS v FROM range(3, 5, 1, 1)");

      assertThat(spark.rows("SELECT * FROM " + table)).containsExactly("3|new", "4|new");
      tables.upsert(table, tables.row(table, 5, "later"));
      tables.materialize(table);
      assertThat(spark.rows("SELECT * FROM stock." + TestTables.SCHEMA + "." + table))
          .containsExactly("3|new", "4|new", "5|later");
    }
  }

  @Test
  void rowsOfATableThatIsMadeAreNotHeldBack() {
    spark.execute("CREATE TABLE held_back (id int) TBLPROPERTIES ('write.wap.enabled' = 'true')");
    for (String hold : List.of("spark.wap.id", "spark.wap.branch")) {
      spark.execute("SET " + hold + " = b");
      try {
        assertThatThrownBy(
                () -> spark.execute("CREATE OR REPLACE TABLE held_back AS SELECT 1 AS id"))
            .hasMessageContaining("held_back");
      } finally {
        spark.execute("RESET " + hold);
      }
    }
    spark.execute("CREATE OR REPLACE TABLE held_back AS SELECT 1 AS id");
    assertThat(spark.rows("SELECT * FROM held_back")).containsExactly("1");
  }

  @Test
  void whoReadsWhileAQueryReplacesATableSeesOldOrNewRowsButNeverNone() throws Exception {
    String rows =
        " TABLE shown TBLPROPERTIES ('primary-key' = 'id')"
            + " AS SELECT id %% 100 AS id, %d AS v FROM range(150)";
    spark.execute("CREATE" + rows.formatted(0));
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<List<String>> reads =
        CompletableFuture.supplyAsync(
            () -> {
              List<String> seen = new ArrayList<>();
              do {
                seen.addAll(
                    spark.rows(
                        "SELECT count(*), max(v) - min(v) FROM stock."
                            + TestTables.SCHEMA
                            + ".shown"));
              } while (!done.get());
              return seen;
            });

    for (int i = 1; i <= 6; i++) {
      spark.execute("CREATE OR REPLACE" + rows.formatted(i));
    }
    done.set(true);

    assertThat(reads.get()).isNotEmpty().containsOnly("100|0");
    assertThat(spark.rows("SELECT max(v) FROM shown")).containsExactly("6");
  }

  @Test
  void failedCreationFromAQueryLeavesNoTable() {
    assertThatThrownBy(
            () ->
                spark.execute("CREATE TABLE never AS SELECT raise_error('no') AS x FROM range(10)"))
        .hasMessageContaining("no");

    assertThat(spark.rows("SHOW TABLES LIKE 'never'")).isEmpty();
  }

  @Test
  void replacedTableBeginsAnew() {
    spark.execute("CREATE TABLE again (id int, v string) TBLPROPERTIES ('primary-key' = 'id')");
    tables.upsert("again", tables.row("again", 1, "in a file"));
    tables.materialize("again");
    tables.upsert("again", tables.row("again", 2, "in the log"));

    spark.execute("REPLACE TABLE again (k string) TBLPROPERTIES ('primary-key' = 'k')");
    assertThat(spark.rows("SELECT * FROM again")).isEmpty();
    tables.upsert("again", tables.row("again", "x"));
    assertThat(spark.rows("SELECT * FROM again")).containsExactly("x");
    spark.execute("CREATE OR REPLACE TABLE again (n int)");
    assertThat(spark.rows("SELECT * FROM again")).isEmpty();
    assertThat(tables.load("again").schema().identifierFieldIds()).isEmpty();

    spark.execute("DROP TABLE again");
    spark.execute("CREATE TABLE again (id int)");
    assertThat(spark.rows("SELECT * FROM again")).isEmpty();
    assertThat(TablePosition.valid(tables.load("again"))).isPresent();
    assertThatThrownBy(() -> spark.execute("REPLACE TABLE nothing (n int)"))
        .hasMessageContaining("nothing");
  }

  @Test
  void tableKeepsItsRowsUnderAnotherName() {
    spark.execute("CREATE TABLE old_name (id int) TBLPROPERTIES ('primary-key' = 'id')");
    tables.upsert("old_name", tables.row("old_name", 1));

    spark.execute("ALTER TABLE old_name RENAME TO s.new_name");
    spark.execute("ALTER TABLE new_name SET TBLPROPERTIES ('a' = 'me', 'b' = 'renamed')");
    spark.execute("ALTER TABLE new_name UNSET TBLPROPERTIES ('b')");

    assertThat(spark.rows("SELECT * FROM new_name")).containsExactly("1");
    assertThat(tables.load("new_name").properties())
        .containsEntry("a", "me")
        .doesNotContainKey("b");
    assertThatThrownBy(() -> spark.rows("SELECT * FROM old_name")).hasMessageContaining("old_name");
  }

  @Test
  void namespacesAreTheCatalogs() {
    spark.execute("CREATE NAMESPACE icewal.more WITH DBPROPERTIES ('a' = 'b')");
    spark.execute("ALTER NAMESPACE icewal.more SET PROPERTIES ('c' = 'd')");
    spark.execute("CREATE TABLE icewal.more.t (n int)");

    assertThat(spark.rows("SHOW NAMESPACES IN icewal")).contains("more", "s");
    assertThat(spark.rows("SHOW TABLES IN icewal.more")).hasSize(1);
    assertThat(spark.rows("DESCRIBE NAMESPACE EXTENDED icewal.more").toString())
        .contains("(a,b)", "(c,d)");
    assertThatThrownBy(() -> spark.execute("DROP NAMESPACE icewal.more"))
        .hasMessageContaining("more");
    spark.execute("DROP TABLE icewal.more.t PURGE");
    spark.execute("DROP NAMESPACE icewal.more");
    assertThat(spark.rows("SHOW NAMESPACES IN icewal")).doesNotContain("more");
    assertThatThrownBy(() -> spark.execute("CREATE TABLE icewal.more.t (n int)"))
        .hasMessageContaining("more");
  }

  @Test
  void whatCannotBeIsRefused() {
    refused("CREATE TABLE bad (a bigint) TBLPROPERTIES ('primary-key' = 'b')", "column 'b'");
    refused("CREATE TABLE bad (a double) TBLPROPERTIES ('primary-key' = 'a')", "primary key [a]");
    refused(
        "CREATE TABLE bad (a bigint) TBLPROPERTIES ('primary-key' = 'a', 'format-version' = '2')",
        "primary-key needs format-version = 3");
    refused("CREATE TABLE bad (a variant)", "variant");
    refused("CREATE TABLE bad (a int) TBLPROPERTIES ('icewal.position' = 'x')", "by hand");
    refused("CREATE TABLE bad (a int) TBLPROPERTIES ('encryption.key-id' = 'x')", "encrypt");
    refused("CREATE TABLE bad (a int) USING csv", "csv");
    refused("CREATE VIEW bad AS SELECT 1 AS a", "VIEWS");
    refused(
        "CREATE TABLE bad TBLPROPERTIES ('primary-key' = 'a') AS SELECT CAST(NULL AS int) AS a",
        "NULL");
    spark.execute("CREATE TABLE keyed (a bigint, b bigint) TBLPROPERTIES ('primary-key' = 'a')");
    refused("CREATE TABLE keyed (a bigint)", "already exists");
    refused("ALTER TABLE keyed SET TBLPROPERTIES ('primary-key' = 'b')", "primary-key");
    refused("ALTER TABLE keyed SET TBLPROPERTIES ('icewal.position' = 'b')", "icewal.position");
    refused("ALTER TABLE keyed UNSET TBLPROPERTIES ('icewal.position')", "icewal.position");
    refused("ALTER TABLE keyed DROP COLUMN a", "a");
    refused("ALTER TABLE keyed ADD COLUMN v variant", "variant");
    refused("CALL icewal.system.nothing()", "nothing");
    spark.execute("CREATE TABLE IF NOT EXISTS keyed (c bigint)");
    assertThat(spark.rows("SHOW TABLES LIKE 'bad'")).isEmpty();
  }

  @Test
  void noFileOfATableLiesInTheLog() {
    String log = "file://" + spark.folder + "/log/1/x";
    String around = "file://" + spark.folder;
    spark.execute("CREATE TABLE apart (a int)");

    for (String place : new String[] {log, around}) {
      refused("CREATE TABLE bad (a int) LOCATION '" + place + "'", "put it apart");
      refused(
          "CREATE TABLE bad (a int) LOCATION '"
              + place
              + "' TBLPROPERTIES ('format-version' ="
              + " '2')",
          "put it apart");
      refused("CREATE TABLE bad LOCATION '" + place + "' AS SELECT 1 AS a", "put it apart");
      refused("REPLACE TABLE apart (a int) LOCATION '" + place + "'", "put it apart");
      refused("ALTER TABLE apart SET LOCATION '" + place + "'", "put it apart");
      for (String property : PATHS) {
        String properties = "TBLPROPERTIES ('" + property + "' = '" + place + "')";
        refused("CREATE TABLE bad (a int) " + properties, "put it apart");
        refused("CREATE TABLE bad " + properties + " AS SELECT 1 AS a", "put it apart");
        refused("REPLACE TABLE apart (a int) " + properties, "put it apart");
        refused("ALTER TABLE apart SET " + properties, "put it apart");
      }
    }
    assertThat(spark.rows("SHOW TABLES LIKE 'bad'")).isEmpty();
    assertThat(tables.load("apart").properties()).doesNotContainKeys(PATHS);
  }

  @Test
  void noFileOfATableLiesAmongAnothers() {
    spark.execute("CREATE TABLE other (a int)");
    tables.upsert("other", tables.row("other", 1));
    tables.materialize("other");
    String place = tables.load("other").location();
    spark.execute("CREATE TABLE neighbour (a int)");

    refused("CREATE TABLE bad (a int) LOCATION '" + place + "'", "there are files in");
    refused("CREATE TABLE bad (a int) LOCATION '" + place + "/data'", "there are files in");
    refused("CREATE TABLE bad LOCATION '" + place + "' AS SELECT 1 AS a", "there are files in");
    refused("CREATE OR REPLACE TABLE bad (a int) LOCATION '" + place + "'", "there are files in");
    refused("REPLACE TABLE neighbour (a int) LOCATION '" + place + "'", "there are files in");
    refused("ALTER TABLE neighbour SET LOCATION '" + place + "'", "there are files in");
    for (String property : PATHS) {
      String properties = "TBLPROPERTIES ('" + property + "' = '" + place + "/data')";
      refused("CREATE TABLE bad (a int) " + properties, "there are files in");
      refused("REPLACE TABLE neighbour (a int) " + properties, "there are files in");
      refused("ALTER TABLE neighbour SET " + properties, "there are files in");
    }
    assertThat(spark.rows("SHOW TABLES LIKE 'bad'")).isEmpty();
    assertThat(spark.rows("SELECT * FROM other")).containsExactly("1");
  }

  @Test
  void tableMayHaveFoldersOfItsOwn() {
    String place = "file://" + spark.folder + "/elsewhere";
    spark.execute("CREATE TABLE beside (a int) LOCATION '" + place + "/beside-it'");
    spark.execute(
        "CREATE TABLE placed (a int) LOCATION '"
            + place
            + "/beside' TBLPROPERTIES ("
            + "'write.data.path' = '"
            + place
            + "/beside/rows')");
    spark.execute("INSERT INTO placed VALUES 1");
    tables.materialize("placed");
    spark.execute("ALTER TABLE placed SET TBLPROPERTIES ('write.data.path' = '" + place + "/p2')");
    spark.execute("INSERT INTO placed VALUES 2");
    tables.materialize("placed");

    // What it has, it keeps.
    spark.execute("ALTER TABLE placed SET LOCATION '" + place + "/beside/'");
    spark.execute("ALTER TABLE placed SET TBLPROPERTIES ('write.data.path' = '" + place + "/p2')");
    assertThat(spark.rows("SELECT * FROM placed")).containsExactly("1", "2");
    spark.execute("REPLACE TABLE placed (a int) LOCATION '" + place + "/beside'");
    assertThat(spark.rows("SELECT * FROM placed")).isEmpty();
  }

  @Test
  void tableOfARenamedOnesNameHasAFolderOfItsOwn() {
    spark.execute("CREATE TABLE first (a int)");
    tables.upsert("first", tables.row("first", 1));
    tables.materialize("first");
    spark.execute("ALTER TABLE first RENAME TO s.moved");

    spark.execute("CREATE TABLE first (a int)");
    spark.execute("CREATE OR REPLACE TABLE first AS SELECT 2 AS a");

    String place = tables.load("first").location();
    assertThat(place).startsWith(tables.load("moved").location() + "-");
    spark.execute("DROP TABLE first PURGE");
    assertThat(spark.rows("SELECT * FROM moved")).containsExactly("1");
  }

  private void refused(String sql, String why) {
    assertThatThrownBy(() -> spark.execute(sql)).as(sql).hasMessageContaining(why);
  }

  @Test
  void catalogSaysWhatItNeeds() {
    String wrong = "spark.sql.catalog.wrong";
    spark.spark.conf().set(wrong, IcewalCatalog.class.getName());
    spark.spark.conf().set(wrong + ".folder", "x");

    assertThatThrownBy(() -> spark.rows("SHOW NAMESPACES IN wrong"))
        .hasMessageContaining("needs one of the options 'data' and 'config'")
        .hasMessageContaining("[folder]");
  }

  @Test
  void tablesOfFormatTwoAreNotIcewals() {
    spark.execute("CREATE TABLE two TBLPROPERTIES ('format-version' = '2') AS SELECT 1 a");
    spark.execute("INSERT INTO two VALUES 2");
    spark.execute("DELETE FROM two WHERE a = 1");

    assertThat(TablePosition.read(tables.load("two"))).isEmpty();
    assertThat(spark.rows("SELECT * FROM two")).containsExactly("2");
  }

  @Test
  void dataSourceReadsByName() {
    tables.create("named", FreshReadTest.KEYED);
    tables.upsert("named", tables.row("named", 1L, "x"));

    for (String name : new String[] {"s.named", "icewal.s.named"}) {
      assertThat(SparkServer.rows(spark.spark.read().format("icewal").load(name)))
          .as(name)
          .containsExactly("1|x");
    }
    assertThatThrownBy(() -> spark.spark.read().format("icewal").load())
        .hasMessageContaining("needs the name of a table");
    assertThatThrownBy(() -> spark.spark.read().format("icewal").load("s.nothing"))
        .hasMessageContaining("nothing");
  }

  @Test
  @Tag("spark-4.1")
  void icebergsProceduresWork() {
    tables.create("tidied", FreshReadTest.KEYED);
    for (long id = 1; id <= 6; id++) {
      tables.upsert("tidied", tables.row("tidied", id, "a"));
      tables.materialize("tidied");
    }
    tables.upsert("tidied", tables.row("tidied", 1L, "b"), tables.row("tidied", 7L, "b"));

    assertThat(
            spark.rows(
                "CALL icewal.system.rewrite_data_files(table => 's.tidied', options =>"
                    + " map('rewrite-all', 'true'))"))
        .singleElement()
        .asString()
        .startsWith("6|1|");
    spark.execute("CALL icewal.system.expire_snapshots(table => 's.tidied', retain_last => 1)");

    assertThat(spark.rows("SELECT id, v FROM tidied"))
        .containsExactly("1|b", "2|a", "3|a", "4|a", "5|a", "6|a", "7|b");
  }

  @Test
  void icebergsFunctionsAreThereAndItsProceduresAreNamed() {
    assertThat(spark.rows("SELECT icewal.system.bucket(4, 34L)")).hasSize(1);
    assertThat(spark.rows("SHOW PROCEDURES IN icewal.system").toString())
        .contains("rewrite_data_files");
  }

  @Test
  void tableThatAnotherEngineReplacedIsReadAsItIs() {
    spark.execute("CREATE TABLE taken (id int) TBLPROPERTIES ('primary-key' = 'id')");
    tables.upsert("taken", tables.row("taken", 1));

    spark.execute("CREATE OR REPLACE TABLE stock.s.taken USING iceberg AS SELECT 5 AS id");

    assertThat(spark.rows("SELECT * FROM taken")).containsExactly("5");
    TableIdentifier name = TableIdentifier.of(Namespace.of("s"), "plain");
    tables
        .catalog()
        .buildTable(name, FreshReadTest.KEYED)
        .withProperties(Map.of("format-version", "3"))
        .create();
    assertThat(spark.rows("SELECT * FROM plain")).isEmpty();
  }
}
