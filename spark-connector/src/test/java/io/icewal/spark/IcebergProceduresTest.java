package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.table.TablePosition;
import java.util.List;
import org.apache.iceberg.HasTableOperations;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Iceberg's procedures on tables of icewal: right, or refused.
@Tag("spark-4.1")
@ExtendWith(SparkServer.Shared.class)
class IcebergProceduresTest {
  private final SparkServer spark;
  private final TestTables tables;

  IcebergProceduresTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  /// Three rows in files, of which the log replaces one and deletes one; and a new row.
  private void keyed(String name) {
    spark.execute(
        "CREATE TABLE "
            + name
            + " (id int, v string) TBLPROPERTIES ('primary-key' = 'id', 'a' = 'b')");
    for (int i = 1; i <= 3; i++) {
      tables.upsert(name, tables.row(name, i, "file" + i));
      tables.materialize(name);
    }
    tables.upsert(name, tables.row(name, 2, "log2"), tables.row(name, 4, "log4"));
    tables.delete(name, tables.row(name, 3));
  }

  private String property(String name) {
    return tables.load(name).properties().get(TablePosition.PROPERTY);
  }

  private long snapshot(String name) {
    return tables.load(name).currentSnapshot().snapshotId();
  }

  private void branch(String name, String branch) {
    tables.load(name).manageSnapshots().createBranch(branch, snapshot(name)).commit();
  }

  private List<String> all(String name) {
    return spark.rows("SELECT * FROM " + name);
  }

  /// The log's rows go into the table, each key is there once, and it takes more.
  private void goesOn(String name, String... rows) {
    assertThat(all(name)).containsExactly(rows);
    tables.materialize(name);
    assertThat(all(name)).containsExactly(rows);
    assertThat(spark.rows("SELECT * FROM stock.s." + name)).containsExactly(rows);
    spark.execute("INSERT INTO " + name + " VALUES (99, 'more')");
    spark.execute("DELETE FROM " + name + " WHERE id = 99");
    assertThat(all(name)).containsExactly(rows);
    assertThat(TablePosition.valid(tables.load(name))).isPresent();
  }

  private String rowIds(String name) {
    return spark.rows("SELECT id, _row_id FROM stock.s." + name).toString();
  }

  @Test
  void rewriteOfDataFilesKeepsRowsTheirIdsAndTheTail() {
    keyed("rewritten");
    String position = property("rewritten");
    String ids = rowIds("rewritten");

    assertThat(
            spark
                .rows(
                    "CALL system.rewrite_data_files(table => 's.rewritten', options =>"
                        + " map('rewrite-all', 'true'))")
                .get(0))
        .startsWith("3|1|");

    assertThat(property("rewritten")).isEqualTo(position);
    assertThat(rowIds("rewritten")).isEqualTo(ids);
    goesOn("rewritten", "1|file1", "2|log2", "4|log4");
    assertThat(
            spark
                .rows(
                    "CALL system.rewrite_data_files(table => 's.rewritten', where => 'id > 0', options => map('rewrite-all', 'true'))")
                .get(0))
        .doesNotStartWith("0|");
    tables.upsert("rewritten", tables.row("rewritten", 4, "again4"));
    goesOn("rewritten", "1|file1", "2|log2", "4|again4");
  }

  @Test
  void expiryManifestsAndOrphansLeaveContentsAndTailAlone() {
    keyed("expired");
    String position = property("expired");

    spark.execute("CALL system.rewrite_manifests('s.expired')");
    assertThat(all("expired")).containsExactly("1|file1", "2|log2", "4|log4");
    spark.execute(
        "CALL system.expire_snapshots(table => 's.expired', older_than => TIMESTAMP '2100-01-01"
            + " 00:00:00', retain_last => 1)");
    spark.execute("CALL system.remove_orphan_files(table => 's.expired', prefix_listing => true)");
    spark.execute("CALL system.rewrite_position_delete_files('s.expired')");

    assertThat(tables.load("expired").snapshots()).hasSize(1);
    assertThat(property("expired")).isEqualTo(position);
    goesOn("expired", "1|file1", "2|log2", "4|log4");
    spark.execute("CALL system.rewrite_position_delete_files('s.expired')");
    spark.execute("CALL system.rewrite_manifests('s.expired')");
    goesOn("expired", "1|file1", "2|log2", "4|log4");
  }

  @Test
  void ancestorsAndChangesAreOfTheSnapshot() {
    keyed("ip_counted");
    assertThat(spark.rows("CALL system.ancestors_of('s.ip_counted')")).hasSize(4);
    spark.execute(
        "CALL system.create_changelog_view(table => 's.ip_counted', changelog_view => 'counted_log')");
    assertThat(spark.rows("SELECT id, _change_type FROM counted_log"))
        .containsExactly("1|INSERT", "2|INSERT", "3|INSERT");
    goesOn("ip_counted", "1|file1", "2|log2", "4|log4");
  }

  @Test
  void rollbackTakesMaterializedRowsAwayAndKeepsTheLogOnTop() {
    keyed("rolled");
    String position = property("rolled");
    List<Long> history =
        tables.load("rolled").history().stream().map(entry -> entry.snapshotId()).toList();

    spark.execute("CALL system.rollback_to_snapshot('s.rolled', " + history.get(1) + ")");
    assertThat(property("rolled")).isEqualTo(position);
    assertThat(all("rolled")).containsExactly("1|file1", "2|log2", "4|log4");
    spark.execute(
        "CALL system.set_current_snapshot(table => 's.rolled', snapshot_id => "
            + history.get(2)
            + ")");
    assertThat(spark.rows("SELECT * FROM stock.s.rolled")).containsExactly("1|file1", "2|file2");
    goesOn("rolled", "1|file1", "2|log2", "4|log4");

    spark.execute("CALL system.rollback_to_snapshot('s.rolled', " + history.get(0) + ")");
    assertThat(spark.rows("SELECT * FROM stock.s.rolled")).isEmpty();
    tables.upsert("rolled", tables.row("rolled", 5, "log5"));
    goesOn("rolled", "5|log5");
  }

  @Test
  void currentSnapshotIsSetByIdOrByRefAndNotByNeither() {
    keyed("set_current");
    long last = snapshot("set_current");
    long first =
        tables.load("set_current").history().stream()
            .map(entry -> entry.snapshotId())
            .toList()
            .get(1);
    tables.load("set_current").manageSnapshots().createTag("one_row", first).commit();
    String call = "CALL system.set_current_snapshot(table => 's.set_current'";

    assertThat(spark.rows(call + ", ref => 'one_row')")).containsExactly(last + "|" + first);
    assertThat(spark.rows("SELECT * FROM stock.s.set_current")).containsExactly("1|file1");
    assertThat(spark.rows(call + ", snapshot_id => " + last + ")"))
        .containsExactly(first + "|" + last);
    assertThatThrownBy(() -> spark.execute(call + ")"))
        .hasMessageContaining("Either snapshot_id or ref must be provided, not both");
    assertThatThrownBy(() -> spark.execute(call + ", ref => 'none')"))
        .hasMessageContaining("Cannot find matching snapshot ID for ref none");

    assertThat(snapshot("set_current")).isEqualTo(last);
    goesOn("set_current", "1|file1", "2|log2", "4|log4");
  }

  @Test
  void mainOfAKeyedTableBecomesOnlyWhatItWasAsAnIcewalTable() {
    keyed("guarded_main");
    branch("guarded_main", "foreign_rows");
    spark.execute("INSERT INTO stock.s.guarded_main.branch_foreign_rows VALUES (1, 'twin')");
    long foreign = tables.load("guarded_main").refs().get("foreign_rows").snapshotId();
    long current = snapshot("guarded_main");

    for (String call :
        List.of(
            "set_current_snapshot(table => 's.guarded_main', ref => 'foreign_rows')",
            "set_current_snapshot('s.guarded_main', " + foreign + ")",
            "fast_forward('s.guarded_main', 'main', 'foreign_rows')",
            "cherrypick_snapshot('s.guarded_main', " + foreign + ")",
            "publish_changes('s.guarded_main', 'w')",
            "add_files(table => 's.guarded_main', source_table => 'parquet.`/nothing`')")) {
      assertThatThrownBy(() -> spark.execute("CALL system." + call))
          .as(call)
          .hasMessageContaining("s.guarded_main has the primary key [id]");
    }

    assertThat(snapshot("guarded_main")).isEqualTo(current);
    goesOn("guarded_main", "1|file1", "2|log2", "4|log4");
    spark.execute("CALL system.fast_forward('s.guarded_main', 'other', 'main')");
    assertThat(tables.load("guarded_main").refs()).containsKey("other");
  }

  @Test
  void keyedTableDoesNotGoBackToBeforeItsAdoptionOrReplacement() {
    spark.execute("CREATE TABLE stock.s.went_back (id int) USING iceberg");
    spark.execute("INSERT INTO stock.s.went_back VALUES (1), (1)");
    long twins = snapshot("went_back");
    spark.execute("INSERT OVERWRITE stock.s.went_back VALUES (1)");
    spark.execute("CALL system.adopt('s.went_back', array('id'), true)");
    spark.execute("INSERT INTO went_back VALUES (2)");

    for (String call :
        List.of(
            "rollback_to_snapshot('s.went_back', " + twins + ")",
            "rollback_to_timestamp('s.went_back', TIMESTAMP '"
                + new java.sql.Timestamp(
                        tables.load("went_back").snapshot(twins).timestampMillis() + 1)
                    .toInstant()
                + "')",
            "set_current_snapshot('s.went_back', " + twins + ")")) {
      assertThatThrownBy(() -> spark.execute("CALL system." + call))
          .as(call)
          .hasMessageContaining("from before the table was adopted");
    }
    assertThat(all("went_back")).containsExactly("1", "2");

    long first = snapshot("went_back");
    spark.execute("REPLACE TABLE went_back (k string) TBLPROPERTIES ('primary-key' = 'k')");
    assertThatThrownBy(
            () -> spark.execute("CALL system.set_current_snapshot('s.went_back', " + first + ")"))
        .hasMessageContaining("from before the table was replaced");
    spark.execute("INSERT INTO went_back VALUES ('x')");
    assertThat(all("went_back")).containsExactly("x");
  }

  @Test
  void tableWithoutKeyTakesRowsOfBranchesAndStagedSnapshots() {
    spark.execute("CREATE TABLE fed (n int)");
    spark.execute("INSERT INTO fed VALUES (1)");
    tables.materialize("fed");
    spark.execute("INSERT INTO fed VALUES (2)");
    branch("fed", "more");
    spark.execute("INSERT INTO stock.s.fed.branch_more VALUES (3)");
    String position = property("fed");

    spark.execute("CALL system.fast_forward('s.fed', 'main', 'more')");

    assertThat(all("fed")).containsExactly("1", "2", "3");
    branch("fed", "picked");
    spark.execute("INSERT INTO stock.s.fed.branch_picked VALUES (4)");
    long picked = tables.load("fed").refs().get("picked").snapshotId();
    tables.materialize("fed");
    spark.execute("CALL system.cherrypick_snapshot('s.fed', " + picked + ")");
    assertThat(all("fed")).containsExactly("1", "2", "3", "4");
    assertThat(property("fed")).isNotEqualTo(position);
    spark.execute("INSERT INTO fed VALUES (5)");
    tables.materialize("fed");
    assertThat(spark.rows("SELECT * FROM stock.s.fed")).containsExactly("1", "2", "3", "4", "5");
  }

  @Test
  void tableIsNotRegisteredTwiceAndComesBackAfterADropWithItsTail() {
    keyed("registered");
    String metadata =
        ((HasTableOperations) tables.load("registered"))
            .operations()
            .current()
            .metadataFileLocation();

    assertThatThrownBy(
            () -> spark.execute("CALL system.register_table('s.twin', '" + metadata + "')"))
        .hasMessageContaining("s.registered has the UUID");
    assertThat(spark.rows("SHOW TABLES LIKE 'twin'")).isEmpty();

    spark.execute("DROP TABLE registered");
    spark.execute("CALL system.register_table('s.twin', '" + metadata + "')");
    goesOn("twin", "1|file1", "2|log2", "4|log4");
  }
}
