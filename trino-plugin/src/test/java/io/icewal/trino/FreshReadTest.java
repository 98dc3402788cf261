package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.sql.FreshReadContract;
import io.trino.Session;
import io.trino.testing.MaterializedResult;
import org.apache.iceberg.PartitionSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TrinoServer.Shared.class)
class FreshReadTest extends FreshReadContract {
  private final TrinoServer trino;
  private final TestTables tables;

  FreshReadTest(TrinoServer trino) {
    super(trino);
    this.trino = trino;
    this.tables = trino.tables;
  }

  @Override
  protected Answer answer(String sql) {
    MaterializedResult result = trino.runner.execute(sql);
    return new Answer(
        result.getOnlyColumn().map(String::valueOf).toList(),
        result.getStatementStats().orElseThrow().getProcessedRows());
  }

  @Test
  void metadataAloneTellsOfTheTail() {
    tables.create(
        "values_of", PARTITIONED, PartitionSpec.builderFor(PARTITIONED).identity("part").build());
    tables.upsert("values_of", tables.row("values_of", 1L, "a", 1L));
    tables.materialize("values_of");
    tables.upsert("values_of", tables.row("values_of", 3L, "c", 3L));

    Session metadataOnly =
        Session.builder(trino.runner.getDefaultSession())
            .setSystemProperty("optimize_metadata_queries", "true")
            .build();
    assertThat(trino.rows(metadataOnly, "SELECT max(part) FROM values_of")).containsExactly("c");
    assertThat(trino.rows(metadataOnly, "SELECT DISTINCT part FROM values_of"))
        .containsExactly("a", "c");
  }

  @Test
  void columnsOfFilesAreNullForRowsOfTheTail() {
    tables.create("hidden", KEYED);
    base("hidden", 2);
    tables.upsert("hidden", tables.row("hidden", 3L, "t"));

    assertThat(trino.rows("SELECT id, \"$path\" IS NULL, \"$partition\" IS NULL FROM hidden"))
        .containsExactly("1|false|false", "2|false|false", "3|true|true");
    assertThat(trino.rows("SELECT id FROM hidden WHERE \"$path\" IS NULL")).containsExactly("3");
    assertThat(trino.rows("SELECT count(*) FROM hidden WHERE \"$path\" = 'nowhere'"))
        .containsExactly("0");
    assertThat(trino.rows("SELECT count(*) FROM hidden WHERE \"$file_modified_time\" IS NOT NULL"))
        .containsExactly("2");
    assertThat(trino.rows("SELECT id, \"$row_id\" IS NULL FROM hidden"))
        .containsExactly("1|false", "2|false", "3|true");
  }

  @Test
  void timeTravelAndBranchesHaveNoTail() {
    change("travel");
    long snapshot = tables.load("travel").currentSnapshot().snapshotId();
    tables.load("travel").manageSnapshots().createBranch("audit", snapshot).commit();
    String time =
        java.time.Instant.ofEpochMilli(tables.load("travel").currentSnapshot().timestampMillis())
            .toString()
            .replaceAll("(.*)T(.*)Z", "TIMESTAMP '$1 $2 UTC'");

    assertThat(
            trino.rows(
                "SELECT (SELECT count(*) FROM travel), (SELECT count(*) FROM travel FOR VERSION"
                    + " AS OF "
                    + snapshot
                    + ")"))
        .containsExactly("12|10");
    assertThat(trino.rows("SELECT v FROM travel FOR VERSION AS OF " + snapshot + " WHERE id = 1"))
        .containsExactly("a1");
    assertThat(trino.rows("SELECT count(*) FROM travel FOR VERSION AS OF 'audit'"))
        .containsExactly("10");
    assertThat(trino.rows("SELECT count(*) FROM travel FOR TIMESTAMP AS OF " + time))
        .containsExactly("10");
  }

  @Test
  void metadataTablesTellOfTheSnapshot() {
    change("described");

    assertThat(trino.rows("SELECT count(*), sum(record_count) FROM \"described$files\""))
        .containsExactly("1|10");
    assertThat(trino.rows("SELECT count(*) FROM \"described$snapshots\"")).containsExactly("2");
    assertThat(trino.rows("SELECT record_count FROM \"described$partitions\""))
        .containsExactly("10");
    assertThat(
            trino.rows(
                "SELECT count(*) FROM \"described$properties\" WHERE key = 'icewal.position'"))
        .containsExactly("1");
  }

  @Test
  void tailTableTellsWhatTheLogHolds() {
    change("told");
    String position =
        io.icewal.table.TablePosition.valid(tables.load("told"))
            .orElseThrow()
            .position()
            .toString();

    assertThat(
            trino.rows(
                "SELECT position, segments, blocks, rows, parked_blocks, bytes > 0,"
                    + " oldest <= current_timestamp FROM \"told$tail\""))
        .containsExactly(position + "|8|8|9|0|true|true");
    assertThat(trino.rows("SELECT count(*) FROM told t, \"told$tail\"")).containsExactly("12");
    assertThatThrownBy(() -> trino.rows("SELECT * FROM \"nothing$tail\""))
        .hasMessageContaining("does not exist");
  }

  @Test
  void fallsBackToTheSnapshotWhereFreshIsFalse() {
    change("stale");

    Session stale = trino.with("fresh", "false");
    assertThat(trino.rows(stale, "SELECT count(*) FROM stale")).containsExactly("10");
    assertThat(trino.rows(stale, "SELECT v FROM stale WHERE id = 1")).containsExactly("a1");
  }

  @Test
  void aPositionIsSeenOrTheReadFails() {
    tables.create("waited", KEYED);
    String position = tables.upsert("waited", tables.row("waited", 1L, "x")).toString();

    Session atLeast = trino.with("at_least_position", position);
    assertThat(trino.rows(atLeast, "SELECT v FROM waited")).containsExactly("x");
    Session stale =
        Session.builder(atLeast).setCatalogSessionProperty("icewal", "fresh", "false").build();
    assertThatThrownBy(() -> trino.rows(stale, "SELECT v FROM waited"))
        .hasMessageContaining("not yet up to " + position);
    tables.materialize("waited");
    assertThat(trino.rows(stale, "SELECT v FROM waited")).containsExactly("x");
    assertThatThrownBy(() -> trino.rows(trino.with("at_least_position", "nonsense"), "SELECT 1"))
        .hasMessageContaining("nonsense");
  }

  @Test
  void oneTransactionReadsOneCut() {
    change("stable");

    trino.inTransaction(
        session -> {
          assertThat(count(session, "SELECT count(*) FROM stable")).isEqualTo(12L);
          tables.upsert("stable", tables.row("stable", 100L, "later"));
          assertThat(count(session, "SELECT count(*) FROM stable")).isEqualTo(12L);
          assertThat(count(session, "SELECT count(*) FROM stable a JOIN stable b ON a.id = b.id"))
              .isEqualTo(12L);
          tables.materialize("stable");
          assertThat(count(session, "SELECT count(*) FROM stable")).isEqualTo(12L);
        });
    assertThat(trino.rows("SELECT count(*) FROM stable")).containsExactly("13");
  }

  private long count(Session session, String sql) {
    return (long) trino.runner.execute(session, sql).getOnlyValue();
  }

  @Test
  void optimizeAndAnalyzeLeaveTheTailAlone() {
    change("tidied");
    base2("tidied");

    trino.execute("ALTER TABLE tidied EXECUTE optimize");
    trino.execute("ANALYZE tidied");

    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM tidied"))
        .containsExactly("12|12");
    assertThat(trino.rows("SELECT v FROM tidied WHERE id IN (1, 6)")).containsExactly("a6", "b1");
    tables.materialize("tidied");
    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM tidied"))
        .containsExactly("12|12");
  }

  /// Rows of a second file.
  private void base2(String table) {
    tables.materialize(table);
    tables.upsert(table, tables.row(table, 1L, "b1"));
  }

  @Test
  void statisticsCountTheTail() {
    change("counted");

    assertThat(trino.rows("SHOW STATS FOR counted"))
        .anyMatch(row -> row.endsWith("|19.0|null|null"));
  }

  @Test
  void schemaChangesReachRowsOfTheLog() {
    change("evolved");
    trino.execute("ALTER TABLE evolved ADD COLUMN n integer");
    trino.execute("ALTER TABLE evolved RENAME COLUMN v TO w");

    assertThat(trino.rows("SELECT id, w, n FROM evolved WHERE id IN (1, 6)"))
        .containsExactly("1|b1|null", "6|a6|null");
    tables.upsert("evolved", tables.row("evolved", 6L, "c6", 5));
    assertThat(trino.rows("SELECT id, w, n FROM evolved WHERE n = 5")).containsExactly("6|c6|5");
    trino.execute("ALTER TABLE evolved DROP COLUMN w");
    assertThat(trino.rows("SELECT * FROM evolved WHERE id IN (1, 6)"))
        .containsExactly("1|null", "6|5");
  }

  @Test
  void tablesOfOthersBehaveAsInIceberg() {
    trino.execute("CREATE TABLE plain WITH (format_version = 2) AS SELECT 1 a, 'x' b");
    trino.execute("INSERT INTO plain VALUES (2, 'y')");
    trino.execute("DELETE FROM plain WHERE a = 1");

    assertThat(trino.rows("SELECT * FROM plain")).containsExactly("2|y");
    assertThat(trino.rows("SELECT * FROM stock.s.plain")).containsExactly("2|y");
  }

  @Test
  void viewsReadFresh() {
    change("viewed");
    trino.execute("CREATE VIEW newest AS SELECT id, v FROM viewed");

    assertThat(trino.rows("SELECT count(*) FROM newest WHERE v LIKE 'b%'")).containsExactly("7");
  }
}
