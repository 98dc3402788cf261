package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.Session;
import io.trino.testing.MaterializedResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Queries see the snapshot and the tail as one, whatever the engine optimizes.
@ExtendWith(TrinoServer.Shared.class)
class FreshReadTest {
  private static final Schema KEYED =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

  private static final Schema PARTITIONED =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.required(2, "part", Types.StringType.get()),
              NestedField.optional(3, "v", Types.LongType.get())),
          Set.of(1, 2));

  private final TrinoServer trino;
  private final TestTables tables;

  FreshReadTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  /// 1 to 10 in a file, then in the log: 1 to 3 updated, 4 and 5 deleted, 11 to 14 new.
  private void change(String table) {
    tables.create(table, KEYED);
    base(table, 10);
    for (long id : new long[] {1, 2, 3, 11, 12, 13, 14}) {
      tables.upsert(table, tables.row(table, id, "b" + id));
    }
    tables.delete(table, tables.row(table, 4L), tables.row(table, 5L));
  }

  private void base(String table, int rows) {
    List<Record> base = new ArrayList<>();
    for (long id = 1; id <= rows; id++) {
      base.add(tables.row(table, id, "a" + id));
    }
    tables.upsert(table, base);
    tables.materialize(table);
  }

  @Test
  void selectSeesFileAndLogAsOne() {
    change("mixed");

    assertThat(trino.rows("SELECT id, v FROM mixed"))
        .containsExactly(
            "10|a10", "11|b11", "12|b12", "13|b13", "14|b14", "1|b1", "2|b2", "3|b3", "6|a6",
            "7|a7", "8|a8", "9|a9");
    assertThat(trino.rows("SELECT count(*), count(DISTINCT id), min(id), max(id) FROM mixed"))
        .containsExactly("12|12|1|14");
  }

  @Test
  void conditionsApplyAfterTheMerge() {
    change("conditions");

    assertThat(trino.rows("SELECT count(*) FROM conditions WHERE v = 'a1'")).containsExactly("0");
    assertThat(trino.rows("SELECT id FROM conditions WHERE v = 'b1'")).containsExactly("1");
    assertThat(trino.rows("SELECT count(*) FROM conditions WHERE id = 4")).containsExactly("0");
    assertThat(trino.rows("SELECT count(*) FROM conditions WHERE v <> 'b1' AND id < 3"))
        .containsExactly("1");
    assertThat(trino.rows("SELECT count(*) FROM conditions WHERE v IS NULL")).containsExactly("0");
  }

  @Test
  void dynamicFiltersApplyAfterTheMerge() {
    change("filtered");

    assertThat(trino.rows("SELECT f.id FROM filtered f JOIN (VALUES 'a1', 'a6') b(x) ON f.v = b.x"))
        .containsExactly("6");
    assertThat(trino.rows("SELECT f.v FROM filtered f JOIN (VALUES 1, 4, 12) b(x) ON f.id = b.x"))
        .containsExactly("b1", "b12");
  }

  @Test
  void rowsOfTheTailAreChosenByTheirKey() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "k", Types.StringType.get()),
                NestedField.required(2, "n", Types.IntegerType.get()),
                NestedField.optional(3, "v", Types.LongType.get())),
            Set.of(1, 2));
    tables.create("chosen", schema);
    for (int i = 0; i < 30; i++) {
      tables.upsert("chosen", tables.row("chosen", "k" + i / 10, i % 10, (long) i));
    }
    tables.delete("chosen", tables.row("chosen", "k1", 5));

    assertChosen("k = 'k1' AND n = 4", 1, "14");
    assertChosen("k = 'k1' AND n = 5", 0);
    assertChosen("k = 'k1' AND n > 7", 3, "18", "19");
    assertChosen("k > 'k0' AND k < 'k2' AND n IN (1, 3)", 22, "11", "13");
    assertChosen("k = 'nowhere'", 0);
    assertChosen("n = 4", 29, "14", "24", "4");
    assertChosen("v = 14", 29, "14");
  }

  /// @param read how many rows the scan may read for it at most
  private void assertChosen(String condition, int read, String... values) {
    MaterializedResult result =
        trino.runner.execute("SELECT v FROM chosen WHERE " + condition + " ORDER BY 1");
    assertThat(result.getOnlyColumnAsSet().stream().map(String::valueOf))
        .as(condition)
        .containsExactlyInAnyOrder(values);
    assertThat(result.getStatementStats().orElseThrow().getProcessedRows())
        .as(condition)
        .isLessThanOrEqualTo(read);
  }

  @Test
  void limitIsNotFilledByHiddenRows() {
    tables.create("limited", KEYED);
    base("limited", 1000);
    List<Record> dead = new ArrayList<>();
    for (long id = 1; id <= 990; id++) {
      dead.add(tables.row("limited", id));
    }
    tables.delete("limited", dead);

    assertThat(trino.rows("SELECT id FROM limited LIMIT 15")).hasSize(10);
    assertThat(trino.rows("SELECT id FROM limited LIMIT 3")).hasSize(3);
    assertThat(trino.rows("SELECT id FROM limited ORDER BY id DESC LIMIT 1"))
        .containsExactly("1000");
    assertThat(trino.rows("SELECT id FROM limited ORDER BY id LIMIT 1")).containsExactly("991");
    assertThat(trino.rows("SELECT id FROM limited LIMIT 0")).isEmpty();
  }

  @Test
  void tableWithoutFilesReadsItsTail() {
    tables.create("young", KEYED);
    tables.upsert("young", tables.row("young", 1L, "x"), tables.row("young", 2L, null));

    assertThat(trino.rows("SELECT * FROM young WHERE id = 1")).containsExactly("1|x");
    assertThat(trino.rows("SELECT * FROM young y JOIN (VALUES 2) t(x) ON y.id = t.x"))
        .containsExactly("2|null|2");
    assertThat(trino.rows("SELECT count(*) FROM young WHERE v IS NULL")).containsExactly("1");
  }

  @Test
  void truncationHidesEverythingBefore() {
    tables.create("emptied", KEYED);
    base("emptied", 10);
    tables.upsert("emptied", tables.row("emptied", 11L, "x"));
    tables.truncate("emptied");
    tables.upsert("emptied", tables.row("emptied", 3L, "new"));

    assertThat(trino.rows("SELECT * FROM emptied")).containsExactly("3|new");
    assertThat(trino.rows("SELECT count(*) FROM emptied")).containsExactly("1");
  }

  @Test
  void tableWithoutKeyKeepsEveryRow() {
    Schema schema = new Schema(NestedField.optional(1, "n", Types.IntegerType.get()));
    tables.create("events", schema);
    tables.upsert("events", tables.row("events", 1), tables.row("events", 1));
    tables.materialize("events");
    tables.upsert("events", tables.row("events", 1), tables.row("events", 2));

    assertThat(trino.rows("SELECT n, count(*) FROM events GROUP BY n"))
        .containsExactly("1|3", "2|1");
  }

  @Test
  void partitionPredicatesChooseRowsOfTheTail() {
    tables.create(
        "parts", PARTITIONED, PartitionSpec.builderFor(PARTITIONED).identity("part").build());
    tables.upsert("parts", tables.row("parts", 1L, "a", 1L), tables.row("parts", 2L, "b", 2L));
    tables.materialize("parts");
    tables.upsert(
        "parts",
        tables.row("parts", 1L, "a", 10L),
        tables.row("parts", 3L, "c", 3L),
        tables.row("parts", 4L, "b", 4L));

    assertThat(trino.rows("SELECT id, v FROM parts WHERE part = 'a'")).containsExactly("1|10");
    assertThat(trino.rows("SELECT id FROM parts WHERE part = 'b'")).containsExactly("2", "4");
    assertThat(trino.rows("SELECT count(*) FROM parts WHERE part IN ('c', 'd')"))
        .containsExactly("1");
    assertThat(trino.rows("SELECT part, sum(v) FROM parts GROUP BY part"))
        .containsExactly("a|10", "b|6", "c|3");
    Session metadataOnly =
        Session.builder(trino.runner.getDefaultSession())
            .setSystemProperty("optimize_metadata_queries", "true")
            .build();
    assertThat(trino.rows(metadataOnly, "SELECT max(part) FROM parts")).containsExactly("c");
    assertThat(trino.rows(metadataOnly, "SELECT DISTINCT part FROM parts"))
        .containsExactly("a", "b", "c");
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
  void bucketsAreNotPlannedWithoutTheTail() {
    tables.create("buckets", KEYED, PartitionSpec.builderFor(KEYED).bucket("id", 4).build());
    base("buckets", 10);
    tables.upsert("buckets", tables.row("buckets", 3L, "n"), tables.row("buckets", 33L, "n"));

    assertThat(trino.rows("SELECT id, count(*) FROM buckets GROUP BY id")).hasSize(11);
    assertThat(trino.rows("SELECT a.id FROM buckets a JOIN buckets b ON a.id = b.id")).hasSize(11);
    assertThat(trino.rows("SELECT v FROM buckets WHERE id = 33")).containsExactly("n");
  }

  @Test
  void fieldsOfStructsAreReadFromTheTail() {
    Types.StructType place =
        Types.StructType.of(
            NestedField.optional(3, "name", Types.StringType.get()),
            NestedField.optional(
                4,
                "at",
                Types.StructType.of(NestedField.optional(5, "x", Types.IntegerType.get()))));
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "place", place)),
            Set.of(1));
    tables.create("nested", schema);
    Record at = GenericRecord.create(place.field("at").type().asStructType());
    at.set(0, 7);
    Record full = GenericRecord.create(place);
    full.set(0, "home");
    full.set(1, at);
    Record half = GenericRecord.create(place);
    half.set(0, "away");
    tables.upsert("nested", tables.row("nested", 1L, full));
    tables.materialize("nested");
    tables.upsert(
        "nested",
        tables.row("nested", 2L, full),
        tables.row("nested", 3L, half),
        tables.row("nested", 4L, null));

    assertThat(trino.rows("SELECT id, place.at.x FROM nested"))
        .containsExactly("1|7", "2|7", "3|null", "4|null");
    assertThat(trino.rows("SELECT id FROM nested WHERE place.at.x = 7")).containsExactly("1", "2");
    assertThat(trino.rows("SELECT id, place.name FROM nested WHERE place.at IS NULL"))
        .containsExactly("3|away", "4|null");
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
  void parkedBlocksAreRead() {
    tables.create("parked", KEYED);
    base("parked", 3);
    tables.upsert("parked", tables.row("parked", 2L, "b"), tables.row("parked", 9L, "b"));
    tables.trim("parked");
    tables.upsert("parked", tables.row("parked", 9L, "c"));

    assertThat(trino.rows("SELECT * FROM parked")).containsExactly("1|a1", "2|b", "3|a3", "9|c");
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

  @Test
  void existingDeletesStayDeleted() {
    tables.create("twice", KEYED);
    base("twice", 10);
    tables.delete("twice", tables.row("twice", 2L), tables.row("twice", 3L));
    tables.materialize("twice");
    tables.delete("twice", tables.row("twice", 4L));
    tables.upsert("twice", tables.row("twice", 5L, "new"));

    assertThat(trino.rows("SELECT id FROM twice"))
        .containsExactly("1", "10", "5", "6", "7", "8", "9");
    assertThat(trino.rows("SELECT v FROM twice WHERE id = 5")).containsExactly("new");
  }
}
