package io.icewal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Faults that readers of comparable systems had, by their numbers.
public abstract class ReadingCasesContract extends ReadContract {
  protected ReadingCasesContract(SqlEngine engine) {
    super(engine);
  }

  private void deleteUpTo(String table, long last) {
    List<Record> dead = new ArrayList<>();
    for (long id = 1; id <= last; id++) {
      dead.add(tables.row(table, id));
    }
    tables.delete(table, dead);
  }

  @Test
  void b194_conditionsApplyAfterTheMerge() {
    change("b194");

    assertThat(engine.rows("SELECT id FROM b194 WHERE v = 'a1'")).isEmpty();
    assertThat(engine.rows("SELECT id FROM b194 WHERE v = 'b1'")).containsExactly("1");
    assertThat(engine.rows("SELECT v FROM b194 WHERE v <> 'b1' AND id < 3")).containsExactly("b2");
    assertThat(engine.rows("SELECT id FROM b194 WHERE v IS NULL")).isEmpty();
    assertThat(engine.rows("SELECT id FROM b194 WHERE v = 'a4' OR id = 4")).isEmpty();
    for (String sameForTheEngineOnly : List.of("concat(v, '')", "lower(v)", "substr(v, 1)")) {
      assertThat(engine.rows("SELECT id FROM b194 WHERE " + sameForTheEngineOnly + " = 'a1'"))
          .isEmpty();
      assertThat(engine.rows("SELECT id FROM b194 WHERE " + sameForTheEngineOnly + " = 'b1'"))
          .containsExactly("1");
    }
  }

  @Test
  void b196_countsIncludeTheLog() {
    change("b196");

    assertThat(engine.rows("SELECT count(*) FROM b196")).containsExactly("12");
    assertThat(engine.rows("SELECT count(*), count(DISTINCT id), min(id), max(id) FROM b196"))
        .containsExactly("12|12|1|14");
    assertThat(engine.rows("SELECT id, v FROM b196"))
        .containsExactly(
            "10|a10", "11|b11", "12|b12", "13|b13", "14|b14", "1|b1", "2|b2", "3|b3", "6|a6",
            "7|a7", "8|a8", "9|a9");
    deleteUpTo("b196", 14);
    assertThat(engine.rows("SELECT count(*) FROM b196")).containsExactly("0");
  }

  private static final Schema EXTREMES =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "t", Types.StringType.get()),
              NestedField.optional(3, "b", Types.BinaryType.get()),
              NestedField.optional(4, "d", Types.DoubleType.get()),
              NestedField.optional(5, "day", Types.DateType.get())),
          Set.of(1));

  private Record extreme(long id, double value) {
    String text = "a text longer than a bound of sixteen " + id;
    return tables.row(
        "b197",
        id,
        text,
        ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
        value,
        LocalDate.of(2024, 1, 1).plusDays(id));
  }

  @Test
  void b197_extremesAreThoseOfLiveRows() {
    tables.create("b197", EXTREMES);
    for (long id = 1; id <= 9; id++) {
      tables.upsert("b197", extreme(id, id == 5 ? Double.NaN : id));
    }
    tables.materialize("b197");
    tables.delete("b197", tables.row("b197", 1L), tables.row("b197", 5L));
    tables.upsert("b197", extreme(9, -7), extreme(11, 4));
    String extremes =
        "SELECT min(id), max(id), min(t), max(t), min(b), max(b), min(d), max(d), min(day),"
            + " max(day) FROM ";

    List<String> fresh = engine.rows(extremes + "b197");
    assertThat(fresh.get(0))
        .startsWith("2|11|")
        .contains("sixteen 11|", "sixteen 9|", "|-7.0|8.0|2024-01-03|2024-01-12");
    tables.materialize("b197");
    assertThat(engine.rows(extremes + "stock.s.b197")).isEqualTo(fresh);
  }

  @Test
  void b199_filtersOfJoinsApplyAfterTheMerge() {
    change("b199");
    String byValue = engine.values(List.of("'a1'", "'a6'", "'b2'"), "x", "w");
    String byKey = engine.values(List.of("1", "4", "12"), "x", "w");

    assertThat(engine.rows("SELECT f.id FROM b199 f JOIN " + byValue + " ON f.v = x.w"))
        .containsExactly("2", "6");
    assertThat(engine.rows("SELECT f.v FROM b199 f JOIN " + byKey + " ON f.id = x.w"))
        .containsExactly("b1", "b12");
    assertThat(engine.rows("SELECT v FROM b199 WHERE id IN (SELECT w FROM " + byKey + ")"))
        .containsExactly("b1", "b12");
  }

  @Test
  void b200_limitsAreNotFilledByHiddenRows() {
    tables.create("b200", KEYED);
    base("b200", 1000);
    deleteUpTo("b200", 990);
    tables.delete("b200", tables.row("b200", 1000L));

    assertThat(engine.rows("SELECT id FROM b200 LIMIT 15")).hasSize(9);
    assertThat(engine.rows("SELECT id FROM b200 LIMIT 3")).hasSize(3);
    assertThat(engine.rows("SELECT id FROM b200 LIMIT 0")).isEmpty();
    assertThat(engine.rows("SELECT id FROM b200 ORDER BY id DESC LIMIT 1")).containsExactly("999");
    assertThat(engine.rows("SELECT id FROM b200 ORDER BY id LIMIT 1")).containsExactly("991");
    assertThat(engine.rows("SELECT count(*) FROM b200 TABLESAMPLE " + sampleOfAll()))
        .containsExactly("9");
  }

  /// TABLESAMPLE's words for every row.
  protected abstract String sampleOfAll();

  @Test
  void b202_timeTravelHasTheColumnsAndRowsOfThen() {
    change("b202");
    long then = tables.load("b202").currentSnapshot().snapshotId();
    tables.load("b202").manageSnapshots().createBranch("audit", then).commit();
    tables
        .load("b202")
        .updateSchema()
        .renameColumn("v", "w")
        .addColumn("n", Types.IntegerType.get())
        .commit();
    tables.upsert("b202", tables.row("b202", 1L, "c1", 5));

    assertThat(engine.rows("SELECT w, n FROM b202 WHERE id = 1")).containsExactly("c1|5");
    String old = engine.versionAsOf("b202", Long.toString(then));
    assertThat(engine.rows("SELECT * FROM " + old + " WHERE id = 4")).containsExactly("4|a4");
    assertThat(engine.rows("SELECT count(*), max(v) FROM " + old)).containsExactly("10|a9");
    assertThat(engine.rows("SELECT count(*) FROM " + engine.versionAsOf("b202", "'audit'")))
        .containsExactly("10");
    tables.load("b202").updateSchema().deleteColumn("w").commit();
    tables.materialize("b202");
    assertThat(engine.rows("SELECT v FROM " + old + " WHERE id = 1")).containsExactly("a1");
    assertThat(engine.rows("SELECT * FROM b202 WHERE id = 1")).containsExactly("1|5");
  }

  private List<Record> versions(String table, int version) {
    List<Record> rows = new ArrayList<>();
    for (long id = 1; id <= 200; id++) {
      rows.add(tables.row(table, id, "version" + version));
    }
    return rows;
  }

  private void joinWhileWritten(String table, int runs) throws Exception {
    tables.create(table, KEYED);
    tables.upsert(table, versions(table, -1));
    tables.materialize(table);
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService writers = Executors.newSingleThreadExecutor();
    try {
      Future<?> writer =
          writers.submit(
              () -> {
                for (int version = 0; !stop.get(); version++) {
                  tables.upsert(table, versions(table, version));
                  if (version % 5 == 4) {
                    tables.materialize(table);
                  }
                }
              });
      for (int i = 0; i < runs; i++) {
        assertThat(
                engine.rows(
                    "SELECT count(*), count(b.id), count(CASE WHEN a.v <> b.v THEN 1 END),"
                        + " count(DISTINCT a.v) FROM "
                        + table
                        + " a LEFT JOIN "
                        + table
                        + " b ON a.id = b.id"))
            .containsExactly("200|200|0|1");
      }
      stop.set(true);
      writer.get();
    } finally {
      stop.set(true);
      writers.shutdown();
    }
  }

  @Test
  void b208_scansOfOneQuerySeeOneState() throws Exception {
    joinWhileWritten("b208", 15);
  }

  @Test
  @Tag("long")
  void b208_scansOfOneQuerySeeOneStateEachOfAThousandTimes() throws Exception {
    joinWhileWritten("b208_long", 1000);
  }

  @Test
  void b209_nullsAreThoseOfTheRows() {
    tables.create("b209", KEYED);
    tables.upsert("b209", tables.row("b209", 1L, null), tables.row("b209", 2L, "x"));
    tables.materialize("b209");
    tables.upsert("b209", tables.row("b209", 3L, null), tables.row("b209", 4L, "x"));
    tables
        .load("b209")
        .updateSchema()
        .addRequiredColumn("c", Types.IntegerType.get(), Expressions.lit(7))
        .commit();

    assertThat(engine.rows("SELECT count(*) FROM b209 WHERE c IS NULL")).containsExactly("0");
    assertThat(engine.rows("SELECT id FROM b209 WHERE c = 7 AND v IS NULL"))
        .containsExactly("1", "3");
    assertThat(engine.rows("SELECT id, c FROM b209 WHERE v IS NOT NULL"))
        .containsExactly("2|7", "4|7");
    tables.materialize("b209");
    assertThat(engine.rows("SELECT id, c FROM b209")).containsExactly("1|7", "2|7", "3|7", "4|7");
    assertThat(engine.rows("SELECT count(*), count(c), min(c) FROM b209")).containsExactly("4|4|7");
    assertThat(engine.rows("SELECT id FROM b209 WHERE c = 7 AND v IS NULL"))
        .containsExactly("1", "3");
  }

  @Test
  void b209_defaultsOfEveryTypeAreFoundInOldFiles() {
    tables.create("b209_types", KEYED);
    tables.upsert("b209_types", tables.row("b209_types", 1L, "x"));
    tables.materialize("b209_types");
    tables
        .load("b209_types")
        .updateSchema()
        .addColumn("l", Types.LongType.get(), Expressions.lit(7L))
        .addColumn("t", Types.StringType.get(), Expressions.lit("seven"))
        .addColumn("m", Types.DecimalType.of(9, 2), Expressions.lit(new BigDecimal("7.25")))
        .addColumn("o", Types.BooleanType.get(), Expressions.lit(true))
        .commit();
    Record newer = tables.row("b209_types", 2L, "y", 8L, "eight", new BigDecimal("8.50"), false);

    assertThat(engine.rows("SELECT * FROM b209_types")).containsExactly("1|x|7|seven|7.25|true");
    tables.upsert("b209_types", newer);
    for (int state = 0; state < 2; state++) {
      assertThat(engine.rows("SELECT * FROM b209_types"))
          .containsExactly("1|x|7|seven|7.25|true", "2|y|8|eight|8.50|false");
      for (String condition : List.of("l = 7", "t = 'seven'", "m < 8", "o", "l IN (7, 9)")) {
        assertThat(engine.rows("SELECT id FROM b209_types WHERE " + condition))
            .as(condition)
            .containsExactly("1");
      }
      assertThat(engine.rows("SELECT count(l), max(l), count(m) FROM b209_types"))
          .containsExactly("2|8|2");
      tables.materialize("b209_types");
    }
  }

  @Test
  void b212_readersWithoutTheLogSeeTheLastSnapshot() {
    change("b212");

    assertThat(engine.rows("SELECT count(*), max(v) FROM stock.s.b212")).containsExactly("10|a9");
    List<String> fresh = engine.rows("SELECT * FROM b212");
    tables.materialize("b212");
    assertThat(engine.rows("SELECT * FROM stock.s.b212")).isEqualTo(fresh);
  }
}
