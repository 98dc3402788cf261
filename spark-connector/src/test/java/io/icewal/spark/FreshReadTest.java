package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Queries see the snapshot and the tail as one, whatever Spark optimizes.
@ExtendWith(SparkServer.Shared.class)
class FreshReadTest {
  static final Schema KEYED =
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

  private final SparkServer spark;
  private final TestTables tables;

  FreshReadTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
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

    assertThat(spark.rows("SELECT id, v FROM mixed"))
        .containsExactly(
            "10|a10", "11|b11", "12|b12", "13|b13", "14|b14", "1|b1", "2|b2", "3|b3", "6|a6",
            "7|a7", "8|a8", "9|a9");
    assertThat(spark.rows("SELECT count(*) FROM mixed")).containsExactly("12");
    assertThat(spark.rows("SELECT count(*), count(DISTINCT id), min(id), max(id) FROM mixed"))
        .containsExactly("12|12|1|14");
    assertThat(spark.rows("SELECT max(v), v FROM mixed WHERE id > 12 GROUP BY v"))
        .containsExactly("b13|b13", "b14|b14");
  }

  @Test
  void acknowledgedRowIsSeenByTheNextQuery() {
    change("seen");
    Dataset<Row> data = spark.spark.table("seen");
    assertThat(data.count()).isEqualTo(12);

    tables.upsert("seen", tables.row("seen", 15L, "new"));

    assertThat(spark.rows("SELECT v FROM seen WHERE id = 15")).containsExactly("new");
    assertThat(data.count()).isEqualTo(13);
    tables.delete("seen", tables.row("seen", 15L));
    assertThat(spark.rows("SELECT v FROM seen WHERE id = 15")).isEmpty();
  }

  @Test
  void oneQuerySeesOneCut() {
    change("twice");

    assertThat(
            spark.rows(
                "SELECT (SELECT count(*) FROM twice), count(*) FROM twice a JOIN twice b ON"
                    + " a.id = b.id"))
        .containsExactly("12|12");
    assertThat(spark.rows("SELECT id FROM twice EXCEPT SELECT id FROM twice")).isEmpty();
  }

  @Test
  void halfMaterializedTablesReadTheSame() {
    change("half");
    List<String> before = spark.rows("SELECT * FROM half");
    tables.materialize("half");
    List<String> materialized = spark.rows("SELECT * FROM half");
    tables.upsert("half", tables.row("half", 1L, "c1"), tables.row("half", 4L, "back"));

    assertThat(materialized).isEqualTo(before);
    assertThat(spark.rows("SELECT * FROM half WHERE id IN (1, 4, 6)"))
        .containsExactly("1|c1", "4|back", "6|a6");
    assertThat(spark.rows("SELECT count(*) FROM half")).containsExactly("13");
    tables.trim();
    assertThat(spark.rows("SELECT count(*) FROM half")).containsExactly("13");
  }

  @Test
  void conditionsApplyAfterTheMerge() {
    change("conditions");

    assertThat(spark.rows("SELECT count(*) FROM conditions WHERE v = 'a1'")).containsExactly("0");
    assertThat(spark.rows("SELECT id FROM conditions WHERE v = 'b1'")).containsExactly("1");
    assertThat(spark.rows("SELECT count(*) FROM conditions WHERE id = 4")).containsExactly("0");
    assertThat(spark.rows("SELECT count(*) FROM conditions WHERE v <> 'b1' AND id < 3"))
        .containsExactly("1");
    assertThat(spark.rows("SELECT count(*) FROM conditions WHERE v IS NULL")).containsExactly("0");
  }

  @Test
  void runtimeFiltersKeepRowsOfTheTail() {
    tables.create(
        "pruned", PARTITIONED, PartitionSpec.builderFor(PARTITIONED).identity("part").build());
    tables.upsert("pruned", tables.row("pruned", 1L, "a", 1L), tables.row("pruned", 2L, "b", 2L));
    tables.materialize("pruned");
    tables.upsert("pruned", tables.row("pruned", 1L, "a", 10L), tables.row("pruned", 3L, "c", 3L));
    spark.execute("CREATE TABLE chosen (part string, n int)");
    tables.upsert("chosen", tables.row("chosen", "a", 1), tables.row("chosen", "c", 1));
    tables.upsert("chosen", tables.row("chosen", "b", 2));

    assertThat(
            spark.rows(
                "SELECT p.id, p.v FROM pruned p JOIN chosen c ON p.part = c.part WHERE c.n = 1"))
        .containsExactly("1|10", "3|3");
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

    assertThat(spark.rows("SELECT id FROM limited LIMIT 15")).hasSize(10);
    assertThat(spark.rows("SELECT id FROM limited LIMIT 3")).hasSize(3);
    assertThat(spark.rows("SELECT id FROM limited ORDER BY id DESC LIMIT 1"))
        .containsExactly("1000");
    assertThat(spark.rows("SELECT id FROM limited ORDER BY id LIMIT 1")).containsExactly("991");
  }

  @Test
  void tableWithoutFilesReadsItsTail() {
    tables.create("young", KEYED);
    tables.upsert("young", tables.row("young", 1L, "x"), tables.row("young", 2L, null));

    assertThat(spark.rows("SELECT * FROM young WHERE id = 1")).containsExactly("1|x");
    assertThat(spark.rows("SELECT * FROM young y JOIN VALUES (2) AS t(x) ON y.id = t.x"))
        .containsExactly("2|null|2");
    assertThat(spark.rows("SELECT count(*) FROM young WHERE v IS NULL")).containsExactly("1");
  }

  @Test
  void truncationHidesEverythingBefore() {
    tables.create("emptied", KEYED);
    base("emptied", 10);
    tables.upsert("emptied", tables.row("emptied", 11L, "x"));
    tables.truncate("emptied");
    assertThat(spark.rows("SELECT * FROM emptied")).isEmpty();
    tables.upsert("emptied", tables.row("emptied", 3L, "new"));

    assertThat(spark.rows("SELECT * FROM emptied")).containsExactly("3|new");
    assertThat(spark.rows("SELECT count(*) FROM emptied")).containsExactly("1");
  }

  @Test
  void tableWithoutKeyKeepsEveryRow() {
    Schema schema = new Schema(NestedField.optional(1, "n", Types.IntegerType.get()));
    tables.create("events", schema);
    tables.upsert("events", tables.row("events", 1), tables.row("events", 1));
    tables.materialize("events");
    tables.upsert("events", tables.row("events", 1), tables.row("events", 2));

    assertThat(spark.rows("SELECT n, count(*) FROM events GROUP BY n"))
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

    assertThat(spark.rows("SELECT id, v FROM parts WHERE part = 'a'")).containsExactly("1|10");
    assertThat(spark.rows("SELECT id FROM parts WHERE part = 'b'")).containsExactly("2", "4");
    assertThat(spark.rows("SELECT count(*) FROM parts WHERE part IN ('c', 'd')"))
        .containsExactly("1");
    assertThat(spark.rows("SELECT part, sum(v) FROM parts GROUP BY part"))
        .containsExactly("a|10", "b|6", "c|3");
  }

  @Test
  void columnsOfFilesAreNullForRowsOfTheTail() {
    tables.create("hidden", KEYED);
    base("hidden", 2);
    tables.upsert("hidden", tables.row("hidden", 2L, "t"), tables.row("hidden", 3L, "t"));

    assertThat(
            spark.rows(
                "SELECT _file IS NULL, id, _pos, _spec_id, _partition, _row_id IS NULL,"
                    + " _last_updated_sequence_number FROM hidden"))
        .containsExactly(
            "false|1|0|0|null|false|2",
            "true|2|null|null|null|true|null",
            "true|3|null|null|null|true|null");
    assertThat(spark.rows("SELECT id FROM hidden WHERE _file IS NULL")).containsExactly("2", "3");
    assertThat(spark.rows("SELECT id, _deleted FROM hidden"))
        .as("iceberg-spark shows deleted rows to who asks for this column")
        .containsExactly("1|false", "2|false", "2|true", "3|false");
    assertThat(spark.rows("SELECT _pos, count(*) FROM hidden GROUP BY _pos"))
        .containsExactly("0|1", "null|2");
  }

  @Test
  void bucketsAreNotPlannedWithoutTheTail() {
    tables.create("buckets", KEYED, PartitionSpec.builderFor(KEYED).bucket("id", 4).build());
    base("buckets", 10);
    tables.upsert("buckets", tables.row("buckets", 3L, "n"), tables.row("buckets", 33L, "n"));

    assertThat(spark.rows("SELECT id, count(*) FROM buckets GROUP BY id")).hasSize(11);
    assertThat(spark.rows("SELECT a.id FROM buckets a JOIN buckets b ON a.id = b.id")).hasSize(11);
    assertThat(spark.rows("SELECT v FROM buckets WHERE id = 33")).containsExactly("n");
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

    assertThat(spark.rows("SELECT id, place.at.x FROM nested"))
        .containsExactly("1|7", "2|7", "3|null", "4|null");
    assertThat(spark.rows("SELECT id FROM nested WHERE place.at.x = 7")).containsExactly("1", "2");
    assertThat(spark.rows("SELECT id, place.name FROM nested WHERE place.at IS NULL"))
        .containsExactly("3|away", "4|null");
    assertThat(spark.rows("SELECT place FROM nested WHERE id < 3"))
        .containsExactly("(home|(7))", "(home|(7))");
  }

  @Test
  void timeTravelAndBranchesHaveNoTail() {
    change("travel");
    long snapshot = tables.load("travel").currentSnapshot().snapshotId();
    tables.load("travel").manageSnapshots().createBranch("audit", snapshot).commit();
    tables.load("travel").manageSnapshots().createTag("then", snapshot).commit();
    String time =
        java.time.Instant.ofEpochMilli(tables.load("travel").currentSnapshot().timestampMillis())
            .toString();

    assertThat(spark.rows("SELECT count(*) FROM travel")).containsExactly("12");
    assertThat(spark.rows("SELECT v FROM travel VERSION AS OF " + snapshot + " WHERE id = 1"))
        .containsExactly("a1");
    assertThat(spark.rows("SELECT count(*) FROM travel VERSION AS OF 'audit'"))
        .containsExactly("10");
    assertThat(spark.rows("SELECT count(*) FROM travel TIMESTAMP AS OF '" + time + "'"))
        .containsExactly("10");
    for (String name :
        List.of(
            "branch_audit", "tag_then", "snapshot_id_" + snapshot, "at_timestamp_9999999999999")) {
      assertThat(spark.rows("SELECT count(*) FROM icewal.s.travel." + name))
          .as(name)
          .containsExactly("10");
    }
    assertThat(spark.rows("SELECT _change_type, count(*) FROM icewal.s.travel.changes GROUP BY 1"))
        .containsExactly("INSERT|10");
  }

  @Test
  void metadataTablesTellOfTheSnapshot() {
    change("described");

    assertThat(spark.rows("SELECT count(*), sum(record_count) FROM icewal.s.described.files"))
        .containsExactly("1|10");
    assertThat(spark.rows("SELECT count(*) FROM icewal.s.described.snapshots"))
        .containsExactly("2");
    assertThat(spark.rows("SHOW TBLPROPERTIES described"))
        .anyMatch(row -> row.startsWith("icewal.position|"))
        .contains("primary-key|id");
  }

  @Test
  void fallsBackToTheSnapshotWhereFreshIsFalse() {
    change("stale");

    assertThat(spark.rows("SELECT count(*) FROM stale WITH (fresh = 'false')"))
        .containsExactly("10");
    assertThat(
            SparkServer.rows(
                spark.spark.read().option("fresh", "false").table("stale").where("id = 1")))
        .containsExactly("1|a1");
  }

  @Test
  void schemaChangesApplyToRowsOfTheLog() {
    spark.execute(
        "CREATE TABLE evolved (id int, v string, w int, s struct<a: int>) TBLPROPERTIES"
            + " ('primary-key' = 'id')");
    Record inner =
        GenericRecord.create(tables.load("evolved").schema().findType("s").asStructType());
    inner.set(0, 5);
    tables.upsert("evolved", tables.row("evolved", 1, "x", 3, inner));

    spark.execute("ALTER TABLE evolved RENAME COLUMN v TO name");
    spark.execute("ALTER TABLE evolved ALTER COLUMN w TYPE bigint");
    spark.execute("ALTER TABLE evolved ADD COLUMN late string FIRST");
    spark.execute("ALTER TABLE evolved ADD COLUMN s.b string");
    spark.execute("ALTER TABLE evolved RENAME COLUMN s.a TO first");

    assertThat(spark.rows("SELECT * FROM evolved")).containsExactly("null|1|x|3|(5|null)");
    assertThat(spark.rows("SELECT s.first, s.b, w, name FROM evolved WHERE w = 3"))
        .containsExactly("5|null|3|x");
    spark.execute("ALTER TABLE evolved DROP COLUMN name");
    spark.execute("ALTER TABLE evolved ADD COLUMN name string");
    assertThat(spark.rows("SELECT id, name FROM evolved")).containsExactly("1|null");
    tables.materialize("evolved");
    assertThat(spark.rows("SELECT * FROM evolved")).containsExactly("null|1|3|(5|null)|null");
  }

  @Test
  void tablesOfOthersBehaveAsEver() {
    spark.execute("CREATE TABLE stock.s.others (id int, v string) USING iceberg");
    spark.execute("INSERT INTO stock.s.others VALUES (1, 'a')");

    spark.execute("INSERT INTO icewal.s.others VALUES (2, 'b')");
    spark.execute("DELETE FROM icewal.s.others WHERE id = 1");

    assertThat(spark.rows("SELECT * FROM icewal.s.others")).containsExactly("2|b");
  }

  @Test
  void statisticsCountTheTail() {
    tables.create("counted", KEYED);
    tables.upsert("counted", tables.row("counted", 1L, "x"), tables.row("counted", 2L, "y"));

    assertThat(
            spark
                .spark
                .table("counted")
                .queryExecution()
                .optimizedPlan()
                .stats()
                .rowCount()
                .get()
                .toString())
        .isEqualTo("2");
  }

  @Test
  void optionsForSnapshotsNeverAddTheTailToOne() {
    tables.create("optioned", KEYED);
    base("optioned", 2);
    long snapshot = tables.load("optioned").currentSnapshot().snapshotId();
    tables
        .load("optioned")
        .manageSnapshots()
        .createBranch("side", snapshot)
        .createTag("then", snapshot)
        .commit();
    tables.upsert("optioned", tables.row("optioned", 3L, "log"));
    Map<String, String> refused =
        Map.of(
            "snapshot-id",
            Long.toString(snapshot),
            "as-of-timestamp",
            Long.toString(System.currentTimeMillis()),
            "tag",
            "then",
            "branch",
            "side");

    refused.forEach(
        (option, value) ->
            assertThatThrownBy(() -> SparkServer.rows(optioned(option, value)))
                .as(option)
                .isInstanceOf(IllegalArgumentException.class));

    for (String version : List.of(Long.toString(snapshot), "side", "then")) {
      assertThat(SparkServer.rows(optioned("versionAsOf", version)))
          .as(version)
          .containsExactly("1|a1", "2|a2");
    }
    long time = tables.load("optioned").currentSnapshot().timestampMillis();
    assertThat(
            SparkServer.rows(
                optioned("timestampAsOf", java.time.Instant.ofEpochMilli(time).toString())))
        .containsExactly("1|a1", "2|a2");
  }

  private Dataset<Row> optioned(String option, String value) {
    return spark.spark.read().format("icewal").option(option, value).load("s.optioned");
  }
}
