package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.testing.QueryFailedException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What Trino keeps about tables beside their rows is trino-iceberg's, and goes with the log.
@ExtendWith(TrinoServer.Shared.class)
class ViewsAndStatisticsTest {
  private final TrinoServer trino;
  private final TestTables tables;

  ViewsAndStatisticsTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  /// 1 and 2 in a file; then 2 changed and 3 new in the log.
  private void fill(String table) {
    trino.execute(
        "CREATE TABLE " + table + " (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO " + table + " VALUES (1, 'a'), (2, 'a')");
    tables.materialize(table);
    trino.execute("INSERT INTO " + table + " VALUES (2, 'b'), (3, 'b')");
  }

  @Test
  void viewsSeeTheLog() {
    fill("looked_over");
    trino.execute(
        "CREATE VIEW per_value COMMENT 'counts' AS SELECT v, count(*) n FROM looked_over GROUP BY v");

    assertThat(trino.rows("SELECT * FROM per_value")).containsExactly("a|1", "b|2");
    trino.execute("DELETE FROM looked_over WHERE id = 1");
    assertThat(trino.rows("SELECT * FROM per_value")).containsExactly("b|2");
    assertThat(trino.rows("SHOW CREATE VIEW per_value").get(0))
        .contains("CREATE VIEW icewal.s.per_value COMMENT 'counts'")
        .contains("GROUP BY v");
    trino.execute("COMMENT ON VIEW per_value IS 'new'");
    trino.execute("ALTER VIEW per_value RENAME TO per_v");
    assertThat(trino.rows("SHOW CREATE VIEW per_v").get(0)).contains("COMMENT 'new'");
    assertThat(trino.rows("SHOW TABLES LIKE 'per_v'")).containsExactly("per_v");
    trino.execute("DROP VIEW per_v");
  }

  @Test
  void materializedViewsAreRefused() {
    fill("seen");

    assertThatThrownBy(
            () -> trino.execute("CREATE MATERIALIZED VIEW frozen AS SELECT count(*) n FROM seen"))
        .hasMessageContaining("This connector does not support creating materialized views");
    assertThat(trino.rows("SHOW TABLES LIKE 'frozen'")).isEmpty();
  }

  @Test
  void commentsStayWithRowsInTheLog() {
    fill("commented");

    trino.execute("COMMENT ON TABLE commented IS 'a table'");
    trino.execute("COMMENT ON COLUMN commented.v IS 'a value'");

    assertThat(trino.rows("SHOW CREATE TABLE commented").get(0))
        .contains("COMMENT 'a table'")
        .contains("v varchar COMMENT 'a value'");
    assertThat(trino.rows("SELECT * FROM commented")).containsExactly("1|a", "2|b", "3|b");
    trino.execute("UPDATE commented SET v = 'c' WHERE id > 1");
    tables.materialize("commented");
    assertThat(trino.rows("SELECT * FROM stock.s.commented")).containsExactly("1|a", "2|c", "3|c");
    assertThat(trino.rows("SHOW CREATE TABLE commented").get(0)).contains("COMMENT 'a value'");
  }

  @Test
  void analyzeLooksAtFilesAndRowCountsIncludeTheLog() {
    fill("measured");

    trino.execute("ANALYZE measured");

    assertThat(trino.rows("SHOW STATS FOR measured"))
        .anySatisfy(row -> assertThat(row).startsWith("v|").contains("|1.0|0.0|"))
        .anySatisfy(row -> assertThat(row).startsWith("null|null|null|null|4.0|"));
    assertThat(trino.rows("SELECT * FROM measured")).containsExactly("1|a", "2|b", "3|b");
    tables.materialize("measured");
    trino.execute("ANALYZE measured");
    assertThat(trino.rows("SHOW STATS FOR measured"))
        .anySatisfy(row -> assertThat(row).startsWith("id|").contains("|3.0|0.0|"));
  }

  @Test
  void rolesAndGrantsAreAnsweredAsByTrinoIceberg() {
    fill("granted");

    for (String sql :
        List.of(
            "CREATE ROLE r IN %s",
            "SHOW ROLES FROM %s",
            "SHOW CURRENT ROLES FROM %s",
            "SHOW ROLE GRANTS FROM %s",
            "SET ROLE ALL IN %s",
            "GRANT SELECT ON %s.s.granted TO bob",
            "REVOKE SELECT ON %s.s.granted FROM bob",
            "DENY SELECT ON %s.s.granted TO bob",
            "SHOW GRANTS ON TABLE %s.s.granted",
            "ALTER TABLE %s.s.granted SET AUTHORIZATION bob",
            "ALTER SCHEMA %s.s SET AUTHORIZATION bob")) {
      assertThat(answer(sql, "icewal")).as(sql).isEqualTo(answer(sql, "stock"));
    }
  }

  /// The rows, or the error.
  private String answer(String sql, String catalog) {
    try {
      return trino.rows(sql.formatted(catalog)).toString();
    } catch (QueryFailedException e) {
      return e.getMessage().replace(catalog, "CATALOG");
    }
  }
}
