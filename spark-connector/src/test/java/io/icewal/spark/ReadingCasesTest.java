package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.sql.ReadingCasesContract;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(SparkServer.Shared.class)
class ReadingCasesTest extends ReadingCasesContract {
  private static final AtomicInteger FAILURES = new AtomicInteger();

  private final SparkServer spark;
  private final TestTables tables;

  ReadingCasesTest(SparkServer spark) {
    super(spark);
    this.spark = spark;
    this.tables = spark.tables;
  }

  @Override
  protected String sampleOfAll() {
    return "(100 PERCENT)";
  }

  @ParameterizedTest
  @ValueSource(strings = {"BROADCAST", "MERGE", "SHUFFLE_HASH"})
  void b199_joinsOfEveryKindAnswerAlike(String kind) {
    String table = "b199_" + kind.toLowerCase(java.util.Locale.ROOT);
    tables.create(table, KEYED);
    tables.upsert(
        table, tables.row(table, 1L, "a"), tables.row(table, 2L, "a"), tables.row(table, 3L, "a"));
    tables.materialize(table);
    tables.upsert(table, tables.row(table, 1L, "b"), tables.row(table, 500L, "c"));
    tables.delete(table, tables.row(table, 2L));
    String build = spark.values(List.of("1, 'b'", "2, 'c'", "3, 'a'", "500, 'x'"), "b", "id", "v");
    String select = "SELECT /*+ " + kind + "(b) */ f.id, f.v FROM " + table + " f JOIN " + build;

    assertThat(spark.rows(select + " ON f.id = b.id")).containsExactly("1|b", "3|a", "500|c");
    assertThat(spark.rows(select + " ON f.v = b.v")).containsExactly("1|b", "3|a", "500|c");
    assertThat(spark.rows(select + " ON f.id = b.id AND f.v = b.v")).containsExactly("1|b", "3|a");
  }

  @Test
  void b202_filtersOfTimeTravelTakeTheNamesOfThen() {
    tables.create("b202_names", KEYED);
    tables.upsert(
        "b202_names", tables.row("b202_names", 1L, "a"), tables.row("b202_names", 2L, "b"));
    tables.materialize("b202_names");
    long then = tables.load("b202_names").currentSnapshot().snapshotId();
    tables.load("b202_names").manageSnapshots().createTag("old", then).commit();
    tables.load("b202_names").updateSchema().renameColumn("v", "w").commit();
    tables.load("b202_names").updateSchema().addColumn("v", Types.LongType.get()).commit();

    for (String version : List.of(Long.toString(then), "'old'")) {
      assertThat(spark.rows("SELECT * FROM b202_names VERSION AS OF " + version + " WHERE v = 'b'"))
          .containsExactly("2|b");
    }
    assertThat(spark.rows("SELECT id FROM icewal.s.b202_names.tag_old WHERE v = 'b'"))
        .containsExactly("2");
    assertThat(spark.rows("SELECT * FROM b202_names WHERE w = 'b'")).containsExactly("2|b|null");
  }

  @Test
  void b203_metadataTablesAnswerAsPlainIceberg() {
    tables.create("b203", KEYED);
    tables.upsert("b203", tables.row("b203", 1L, "a"), tables.row("b203", 2L, "a"));
    tables.materialize("b203");
    tables.delete("b203", tables.row("b203", 2L));
    tables.materialize("b203");
    tables.upsert("b203", tables.row("b203", 3L, "in the log"));

    for (String kind :
        List.of(
            "files",
            "data_files",
            "delete_files",
            "all_files",
            "all_data_files",
            "entries",
            "all_entries",
            "partitions",
            "snapshots",
            "history",
            "manifests",
            "all_manifests",
            "refs",
            "metadata_log_entries",
            "position_deletes")) {
      assertThat(spark.rows("SELECT * FROM icewal.s.b203." + kind))
          .as(kind)
          .isNotEmpty()
          .isEqualTo(spark.rows("SELECT * FROM stock.s.b203." + kind));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void b205_rowsOfTasksThatAreTriedAgainComeOnce(boolean keyed) {
    String table = keyed ? "b205_keyed" : "b205_appended";
    spark.execute(
        "CREATE TABLE "
            + table
            + " (id bigint, v string)"
            + (keyed ? " TBLPROPERTIES ('primary-key' = 'id')" : ""));
    FAILURES.set(3);
    spark
        .spark
        .udf()
        .register(
            "fail_late",
            (UDF1<Long, String>)
                id -> {
                  if (id % 5_000 == 4_999 && FAILURES.getAndDecrement() > 0) {
                    throw new IllegalStateException("a task fails");
                  }
                  return "v" + id;
                },
            DataTypes.StringType);

    spark.execute(
        "INSERT INTO " + table + " SELECT id, fail_late(id) FROM range(0, 100000, 1, 20)");

    assertThat(FAILURES.get()).as("failures left").isNotPositive();
    assertThat(spark.rows("SELECT count(*), count(DISTINCT id), sum(id) FROM " + table))
        .containsExactly("100000|100000|4999950000");
    tables.materialize(table);
    assertThat(spark.rows("SELECT count(*), sum(id) FROM stock.s." + table))
        .containsExactly("100000|4999950000");
  }

  @Test
  void b206_rowsOfAnInsertThatFailsLateAreNeverSeen() {
    tables.create("b206", KEYED);
    tables.upsert("b206", tables.row("b206", 1L, "a"));

    assertThatThrownBy(
            () ->
                spark.execute(
                    "INSERT INTO b206 SELECT id, CAST(1 / (id - 900000) AS string) FROM"
                        + " range(0, 1000000, 1, 20)"))
        .hasStackTraceContaining("Division by zero");

    assertThat(spark.rows("SELECT * FROM b206")).containsExactly("1|a");
    tables.materialize("b206");
    assertThat(spark.rows("SELECT * FROM stock.s.b206")).containsExactly("1|a");
  }

  @Test
  void b209_nullsForARequiredColumnAreRefusedByRow() {
    tables.create(
        "b209_strict",
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(2, "v", Types.StringType.get())),
            java.util.Set.of(1)));
    spark.execute("INSERT INTO b209_strict SELECT id, nullif('x', 'y') FROM range(3)");

    assertThat(spark.rows("SELECT count(*) FROM b209_strict WHERE v IS NULL")).containsExactly("0");
    assertThatThrownBy(
            () ->
                spark.execute(
                    "INSERT INTO b209_strict SELECT id, if(id = 7, NULL, 'y') FROM range(10)"))
        .hasStackTraceContaining("v");
    assertThat(spark.rows("SELECT v, count(*) FROM b209_strict GROUP BY v")).containsExactly("x|3");
  }

  /// A tail of many segments, a hundredth of the case's rows: the long test has more.
  @Test
  void b211_aLongTailIsReadInPieces() {
    longTail("b211", 200, 100);
  }

  @Test
  @Tag("long")
  void b211_aVeryLongTailIsReadInPieces() {
    longTail("b211_long", 10_000, 500);
  }

  private void longTail(String table, int segments, int rows) {
    tables.create(table, KEYED);
    Record any = tables.row(table);
    long id = 0;
    for (int i = 0; i < segments; i++) {
      List<Record> batch = new ArrayList<>();
      for (int k = 0; k < rows; k++) {
        Record row = any.copy();
        row.set(0, id);
        row.set(1, "v" + id++);
        batch.add(row);
      }
      tables.upsert(table, batch);
    }

    assertThat(spark.rows("SELECT count(*), count(DISTINCT v), sum(id) FROM " + table))
        .containsExactly(id + "|" + id + "|" + id * (id - 1) / 2);
    assertThat(spark.rows("SELECT v FROM " + table + " WHERE id = " + (id - 1)))
        .containsExactly("v" + (id - 1));
  }
}
