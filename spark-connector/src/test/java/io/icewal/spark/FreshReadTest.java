package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.sql.FreshReadContract;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SparkServer.Shared.class)
class FreshReadTest extends FreshReadContract {
  private final SparkServer spark;
  private final TestTables tables;

  FreshReadTest(SparkServer spark) {
    super(spark);
    this.spark = spark;
    this.tables = spark.tables;
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

    assertThat(spark.rows("SELECT * FROM evolved")).containsExactly("null|1|x|3|[5, null]");
    assertThat(spark.rows("SELECT s.first, s.b, w, name FROM evolved WHERE w = 3"))
        .containsExactly("5|null|3|x");
    spark.execute("ALTER TABLE evolved DROP COLUMN name");
    spark.execute("ALTER TABLE evolved ADD COLUMN name string");
    assertThat(spark.rows("SELECT id, name FROM evolved")).containsExactly("1|null");
    tables.materialize("evolved");
    assertThat(spark.rows("SELECT * FROM evolved")).containsExactly("null|1|3|[5, null]|null");
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

    assertThat(estimate("counted")).as("no files").isEqualTo(2);
    base("counted", 10);
    assertThat(estimate("counted")).as("no tail").isEqualTo(10);
    tables.upsert("counted", tables.row("counted", 1L, "z"), tables.row("counted", 11L, "z"));
    assertThat(estimate("counted")).as("rows of files and of the tail").isEqualTo(12);
  }

  private long estimate(String table) {
    Statistics statistics = spark.spark.table(table).queryExecution().optimizedPlan().stats();
    assertThat(statistics.sizeInBytes().toLong()).isPositive();
    return statistics.rowCount().get().toLong();
  }

  @Override
  protected Answer answer(String sql) {
    Dataset<Row> data = spark.spark.sql(sql);
    List<String> answer = SparkServer.rows(data);
    AtomicLong read = new AtomicLong();
    data.queryExecution()
        .executedPlan()
        .collectLeaves()
        .foreach(
            leaf -> {
              leaf.metrics().get("numOutputRows").foreach(metric -> read.addAndGet(metric.value()));
              return null;
            });
    return new Answer(answer, read.get());
  }

  @Test
  void columnsAreReadAsVectorsAndStructsByRows() {
    tables.create(
        "shaped",
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "v", Types.StringType.get()),
                NestedField.optional(
                    3,
                    "s",
                    Types.StructType.of(NestedField.optional(4, "x", Types.LongType.get())))),
            Set.of(1)));
    tables.upsert("shaped", tables.row("shaped", 1L, "a", null), tables.row("shaped", 2L, "a"));
    tables.materialize("shaped");
    tables.upsert("shaped", tables.row("shaped", 2L, "b"), tables.row("shaped", 3L, "b"));

    Dataset<Row> vectors = spark.spark.sql("SELECT v FROM shaped WHERE id > 1");
    Dataset<Row> rows = spark.spark.sql("SELECT * FROM shaped WHERE id > 1");

    assertThat(SparkServer.rows(vectors)).containsExactly("b", "b");
    assertThat(vectors.queryExecution().executedPlan().toString())
        .contains("ColumnarToRow", "id > 1")
        .doesNotContain("s#");
    assertThat(SparkServer.rows(rows)).containsExactly("2|b|null", "3|b|null");
    assertThat(rows.queryExecution().executedPlan().toString()).doesNotContain("ColumnarToRow");
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
