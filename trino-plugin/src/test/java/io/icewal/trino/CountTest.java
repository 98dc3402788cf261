package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.execution.QueryStats;
import io.trino.testing.QueryRunner.MaterializedResultWithPlan;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Rows of which only their number is wanted.
@ExtendWith(TrinoServer.Shared.class)
class CountTest {
  private final TrinoServer trino;
  private final TestTables tables;

  CountTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  /// Rows of two files: a sorted one, and one in several row groups that is not. Every seventh row
  /// is deleted, and the log hides some of the others, some of the deleted, and adds some.
  private void create(String table) {
    tables.create(table, TestTables.KEYED);
    tables.upsert(
        table, LongStream.range(0, 900).mapToObj(id -> tables.row(table, id, "ours")).toList());
    tables.materialize(table);
    trino.runner.execute(
        Session.builder(trino.runner.getDefaultSession())
            .setCatalogSessionProperty("stock", "parquet_writer_row_group_max_row_count", "1000")
            .build(),
        "INSERT INTO stock.s."
            + table
            + " SELECT x * 1000 + y, 'theirs' || CAST(rand() AS varchar)"
            + " FROM UNNEST(sequence(6, 1, -1)) a(x), UNNEST(sequence(999, 0, -1)) b(y)");
    trino.execute("DELETE FROM stock.s." + table + " WHERE id % 7 = 0");
    tables.upsert(
        table,
        LongStream.range(0, 8_000)
            .filter(CountTest::isNew)
            .mapToObj(id -> tables.row(table, id, "new"))
            .toList());
    tables.delete(table, tables.row(table, 1_001L), tables.row(table, 99_999L));
  }

  private static boolean isNew(long id) {
    return id % 500 < 10;
  }

  @Test
  void countsAreThoseOfTheRowsThatAreReadHoweverFilesAreSplit() {
    create("split");
    long rows =
        LongStream.range(0, 8_000)
            .filter(id -> isNew(id) || (id % 7 != 0 && (id < 900 || (id >= 1_000 && id < 7_000))))
            .filter(id -> id != 1_001)
            .count();
    List<String> expected = List.of(Long.toString(rows));

    for (String bytes : List.of("2kB", "10kB", "64MB")) {
      Session session = trino.with("max_split_size", bytes);
      assertThat(trino.rows(session, "SELECT count(*) FROM split")).isEqualTo(expected);
      assertThat(trino.rows(session, "SELECT count(id) FROM split")).isEqualTo(expected);
      assertThat(trino.rows(session, "SELECT count(*) FROM split, (VALUES 1, 2, 3)"))
          .containsExactly(Long.toString(3 * rows));
      assertThat(trino.rows(session, "SELECT count(*) FROM (SELECT 1 FROM split LIMIT 3456)"))
          .containsExactly("3456");
      assertThat(trino.rows(session, "SELECT count(*) FROM split WHERE id % 2 = 0"))
          .isEqualTo(trino.rows("SELECT count(id) FROM split WHERE id % 2 = 0"));
    }
    tables.materialize("split");
    assertThat(trino.rows("SELECT count(*) FROM split")).isEqualTo(expected);
  }

  @Test
  void rowsThatAreCountedAreNotRead() {
    create("unread");

    assertThat(bytesRead("SELECT count(v) FROM unread")).isPositive();
    assertThat(bytesRead("SELECT count(*) FROM unread")).isZero();
  }

  private long bytesRead(String sql) {
    MaterializedResultWithPlan result =
        trino.runner.executeWithPlan(trino.runner.getDefaultSession(), sql);
    QueryStats stats =
        trino
            .runner
            .getCoordinator()
            .getQueryManager()
            .getFullQueryInfo(result.queryId())
            .getQueryStats();
    return stats.getPhysicalInputDataSize().toBytes();
  }

  @Test
  void rowsOfAFewKeysAreFoundByAProcessThatKnowsNoneYet() {
    create("few");
    trino.addCatalogs("cold_few");

    String few = "cold_few.s.few";
    assertThat(trino.rows("SELECT id, v FROM " + few + " WHERE id = 1500"))
        .containsExactly("1500|new");
    assertThat(
            trino.rows("SELECT id, substr(v, 1, 6) FROM " + few + " WHERE id IN (1, 1001, 3015)"))
        .containsExactly("1|new", "3015|theirs");
    assertThat(trino.rows("SELECT count(*) FROM " + few + " WHERE id BETWEEN 1000 AND 1020"))
        .containsExactly("19");
    assertThat(
            trino.rows(
                "SELECT a.v, count(*) FROM %1$s a, %1$s b WHERE a.id = 2000 AND b.v = 'new' GROUP BY 1"
                    .formatted(few)))
        .containsExactly("new|159");
    // More ranges of keys than a transaction keeps.
    trino.inTransaction(
        session -> {
          for (long id = 1_500; id < 1_512; id++) {
            assertThat(
                    trino.rows(session, "SELECT substr(v, 1, 6) FROM " + few + " WHERE id = " + id))
                .isEqualTo(
                    isNew(id) ? List.of("new") : id % 7 == 0 ? List.of() : List.of("theirs"));
          }
        });
    assertThat(trino.rows("SELECT count(*) FROM " + few))
        .isEqualTo(trino.rows("SELECT count(id) FROM few"));
    assertThat(trino.rows("SELECT id, v FROM " + few + " WHERE id = 1500"))
        .containsExactly("1500|new");
    trino.execute("DROP CATALOG cold_few");
    trino.execute("DROP CATALOG cold_few_stock");
  }
}
