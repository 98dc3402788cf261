package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.Session;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What ALTER TABLE may do to a table, some of whose rows are in the log.
@ExtendWith(TrinoServer.Shared.class)
class AlterTableTest {
  private final TrinoServer trino;
  private final TestTables tables;

  AlterTableTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  @Test
  void columnsThatNoRowOfTheLogCanHaveAreRefused() {
    trino.execute(
        "CREATE TABLE narrow (id bigint, r row(a integer)) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO narrow VALUES (1, ROW(1))");

    for (String change :
        new String[] {
          "ADD COLUMN x variant",
          "ADD COLUMN x array(variant)",
          "ADD COLUMN r.x variant",
          "ADD COLUMN _op integer",
          "ADD COLUMN _file varchar",
          "RENAME COLUMN r TO _op",
        }) {
      assertThatThrownBy(() -> trino.execute("ALTER TABLE narrow " + change))
          .as(change)
          .hasMessageContaining("column");
    }

    trino.execute("INSERT INTO narrow VALUES (2, ROW(2))");
    tables.materialize("narrow");
    assertThat(trino.rows("SELECT id, r.a FROM stock.s.narrow")).containsExactly("1|1", "2|2");
  }

  /// Which stock trino-iceberg fails to compare with the bounds of files, until the next snapshot.
  @Test
  void conditionsOnColumnsThatWereWidenedSinceTheSnapshotFindTheirRows() {
    trino.execute(
        "CREATE TABLE widened_since (id integer, price decimal(10,2), ratio real, n integer)"
            + " WITH (primary_key = ARRAY['id', 'price'])");
    trino.execute(
        "INSERT INTO widened_since VALUES (1, 1.50, REAL '0.5', 1), (2, 2.50, REAL '1.5', 2)");
    tables.materialize("widened_since");
    trino.execute("ALTER TABLE widened_since ALTER COLUMN price SET DATA TYPE decimal(25,2)");
    trino.execute("ALTER TABLE widened_since ALTER COLUMN ratio SET DATA TYPE double");
    trino.execute("ALTER TABLE widened_since ALTER COLUMN n SET DATA TYPE bigint");
    trino.execute("INSERT INTO widened_since VALUES (3, 3.50, 2.5, 3), (2, 2.50, 1.75, 20)");

    for (String condition :
        new String[] {
          "price >= 2",
          "price IN (2.50, 3.50)",
          "n >= 2",
          "price BETWEEN 2 AND 12345678901234567890.00",
          "price IN (SELECT price FROM widened_since WHERE n > 1)",
          "n IN (SELECT max(n) FROM widened_since GROUP BY id HAVING max(n) > 1)",
        }) {
      assertThat(trino.rows("SELECT id, n FROM widened_since WHERE " + condition))
          .as(condition)
          .containsExactly("2|20", "3|3");
    }
    // Of a real column Parquet's reader in Trino takes the bounds for those of a double.
    Session blind = trino.with("parquet_ignore_statistics", "true");
    assertThat(trino.rows(blind, "SELECT id, n FROM widened_since WHERE ratio > 1"))
        .containsExactly("2|20", "3|3");
    trino.execute("DELETE FROM widened_since WHERE price < 2");
    trino.execute("UPDATE widened_since SET price = price + 1 WHERE n > 2 AND n < 5");
    assertThat(trino.rows("SELECT id, price FROM widened_since"))
        .containsExactly("2|2.50", "3|4.50");
  }

  @Test
  void conditionsOnFieldsAndPartitionsThatWereWidenedSinceTheSnapshotFindTheirRows() {
    trino.execute(
        "CREATE TABLE widened_parts (id integer, part decimal(10,2), s ROW(price decimal(10,2)),"
            + " day integer) WITH (primary_key = ARRAY['id'],"
            + " partitioning = ARRAY['part', 'day'])");
    trino.execute(
        "INSERT INTO widened_parts VALUES (1, 1.50, ROW(1.50), 1), (2, 2.50, ROW(2.50), 2)");
    tables.materialize("widened_parts");
    trino.execute("ALTER TABLE widened_parts ALTER COLUMN part SET DATA TYPE decimal(25,2)");
    trino.execute("ALTER TABLE widened_parts ALTER COLUMN s.price SET DATA TYPE decimal(25,2)");
    trino.execute("ALTER TABLE widened_parts ALTER COLUMN day SET DATA TYPE bigint");
    trino.execute("INSERT INTO widened_parts VALUES (3, 3.50, ROW(3.50), 3)");

    for (String condition :
        new String[] {
          "part >= 2",
          "part IN (2.50, 3.50)",
          "part <> 1.50",
          "day >= 2",
          "day IN (2, 3)",
          "s.price >= 2",
          "s.price IN (2.50, 3.50)",
          "part >= 2 AND day < 5",
          "part IN (SELECT part FROM widened_parts WHERE day > 1)",
        }) {
      assertThat(trino.rows("SELECT id, day FROM widened_parts WHERE " + condition))
          .as(condition)
          .containsExactly("2|2", "3|3");
      assertThat(trino.rows("SELECT count(*) FROM widened_parts WHERE " + condition))
          .as(condition)
          .containsExactly("2");
    }
    trino.execute("DELETE FROM widened_parts WHERE part < 2");
    trino.execute("UPDATE widened_parts SET s = ROW(4.50) WHERE day > 2");
    assertThat(trino.rows("SELECT id, s.price FROM widened_parts"))
        .containsExactly("2|2.50", "3|4.50");
  }

  @ParameterizedTest
  @ValueSource(strings = {"k", "truncate(k, 10)", "bucket(k, 4)"})
  void rowsOfAKeyThatWasWidenedSinceTheTableWasReadAreHidden(String partition) {
    String table = "widened_key_" + partition.replaceAll("[^a-z]", "");
    trino.execute(
        "CREATE TABLE %s (k integer, v integer) WITH (primary_key = ARRAY['k'], partitioning = ARRAY['%s'])"
            .formatted(table, partition));
    trino.execute("INSERT INTO " + table + " VALUES (1, 1), (2, 1), (3, 1)");
    tables.materialize(table);
    trino.execute("INSERT INTO " + table + " VALUES (1, 2)");
    assertThat(trino.rows("SELECT * FROM " + table)).containsExactly("1|2", "2|1", "3|1");

    trino.execute("ALTER TABLE " + table + " ALTER COLUMN k SET DATA TYPE bigint");
    trino.execute("INSERT INTO " + table + " VALUES (2, 3)");

    assertThat(trino.rows("SELECT * FROM " + table)).containsExactly("1|2", "2|3", "3|1");
    assertThat(trino.rows("SELECT v FROM " + table + " WHERE k = 2")).containsExactly("3");
    trino.execute("UPDATE " + table + " SET v = v + 1 WHERE k < 3");
    assertThat(trino.rows("SELECT * FROM " + table)).containsExactly("1|3", "2|4", "3|1");
    trino.execute("CALL icewal.system.materialize('s', '" + table + "')");
    assertThat(trino.rows("SELECT * FROM stock.s." + table)).containsExactly("1|3", "2|4", "3|1");
  }

  /// Trino's reader takes a struct none of whose fields a Parquet file has for null.
  @Test
  void aStructOfOtherFieldsThanTheFileHasIsReadAsStockReadsIt() {
    trino.execute("CREATE TABLE swapped AS SELECT 1 id, CAST(ROW(1) AS ROW(x integer)) s");
    trino.execute("ALTER TABLE swapped ALTER COLUMN s SET DATA TYPE ROW(y integer)");

    assertThat(trino.rows("SELECT id, s IS NULL FROM swapped"))
        .isEqualTo(trino.rows("SELECT id, s IS NULL FROM stock.s.swapped"))
        .containsExactly("1|true");
  }

  @Test
  void aColumnOfTheKeyKeepsItsPlace() {
    trino.execute("CREATE TABLE fixed (id bigint, v bigint) WITH (primary_key = ARRAY['id'])");

    assertThatThrownBy(() -> trino.execute("ALTER TABLE fixed ALTER COLUMN id DROP NOT NULL"))
        .hasMessageContaining("id");
    assertThatThrownBy(() -> trino.execute("ALTER TABLE fixed DROP COLUMN id"))
        .hasMessageContaining("id");
    trino.execute("ALTER TABLE fixed RENAME COLUMN id TO k");

    trino.execute("INSERT INTO fixed VALUES (1, 1)");
    trino.execute("UPDATE fixed SET v = 2 WHERE k = 1");
    assertThat(trino.rows("SELECT * FROM fixed")).containsExactly("1|2");
  }

  @Test
  void rowsOfTheLogAreFoundUnderANewPartitioning() {
    trino.execute(
        "CREATE TABLE regrouped (id bigint, p varchar, at timestamp(6))"
            + " WITH (primary_key = ARRAY['id'], partitioning = ARRAY['p'])");
    trino.execute(
        "INSERT INTO regrouped VALUES (1, 'A', TIMESTAMP '2024-01-01 10:00:00'),"
            + " (2, 'A', TIMESTAMP '2024-01-02 10:00:00')");
    tables.materialize("regrouped");
    trino.execute("INSERT INTO regrouped VALUES (1, 'B', TIMESTAMP '2024-01-03 10:00:00')");
    trino.execute("ALTER TABLE regrouped SET PROPERTIES partitioning = ARRAY['day(at)']");
    trino.execute("INSERT INTO regrouped VALUES (3, 'A', TIMESTAMP '2024-01-04 10:00:00')");

    for (int round = 0; round < 2; round++) {
      assertThat(trino.rows("SELECT id FROM regrouped WHERE p = 'A'")).containsExactly("2", "3");
      assertThat(trino.rows("SELECT id FROM regrouped WHERE p = 'B'")).containsExactly("1");
      assertThat(trino.rows("SELECT id FROM regrouped WHERE at >= DATE '2024-01-03'"))
          .containsExactly("1", "3");
      assertThat(trino.rows("SELECT count(*) FROM regrouped WHERE at < DATE '2024-01-02'"))
          .containsExactly("0");
      tables.materialize("regrouped");
    }
  }

  @Test
  void aRenamedTableKeepsItsLog() {
    trino.execute("CREATE TABLE old_name (id bigint, v bigint) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO old_name VALUES (1, 1)");
    trino.execute("ALTER TABLE old_name RENAME TO new_name");
    trino.execute("CREATE TABLE old_name (id bigint, v bigint) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO old_name VALUES (1, 7)");
    trino.execute("UPDATE new_name SET v = v + 1");

    assertThat(trino.rows("SELECT * FROM new_name")).containsExactly("1|2");
    assertThat(trino.rows("SELECT * FROM old_name")).containsExactly("1|7");
    tables.materialize("new_name");
    assertThat(trino.rows("SELECT * FROM stock.s.new_name")).containsExactly("1|2");
  }

  @Test
  void aTableWithoutKeyIsEmptiedByTruncation() {
    trino.execute("CREATE TABLE heap (n integer)");
    trino.execute("INSERT INTO heap VALUES 1, 2");
    tables.materialize("heap");
    trino.execute("INSERT INTO heap VALUES 3");
    trino.execute("TRUNCATE TABLE heap");
    assertThat(trino.rows("SELECT * FROM heap")).isEmpty();
    trino.execute("INSERT INTO heap VALUES 4");
    assertThat(trino.rows("SELECT * FROM heap")).containsExactly("4");

    trino.execute("DELETE FROM heap");

    assertThat(trino.rows("SELECT count(*) FROM heap")).containsExactly("0");
    tables.materialize("heap");
    assertThat(trino.rows("SELECT count(*) FROM stock.s.heap")).containsExactly("0");
  }

  @Test
  void commentsAndDefaultsLeaveTheLogAlone() {
    trino.execute("CREATE TABLE told_of (id bigint, v bigint) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO told_of VALUES (1, 1)");
    trino.execute("COMMENT ON TABLE told_of IS 'a table'");
    trino.execute("COMMENT ON COLUMN told_of.v IS 'a value'");
    trino.execute("ALTER TABLE told_of ADD COLUMN e bigint DEFAULT 42");
    trino.execute("INSERT INTO told_of (id, v) VALUES (2, 2)");
    trino.execute("INSERT INTO told_of VALUES (3, 3, NULL)");
    trino.execute("UPDATE told_of SET v = 10 WHERE id = 1");

    for (int round = 0; round < 2; round++) {
      assertThat(trino.rows("SELECT * FROM told_of"))
          .containsExactly("1|10|42", "2|2|42", "3|3|null");
      tables.materialize("told_of");
    }
  }
}
