package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Keys of every type name rows in files and in the log alike.
@ExtendWith(TrinoServer.Shared.class)
class KeyTypesTest {
  /// By type: four values.
  private static final Map<String, List<String>> VALUES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("boolean", List.of("true", "false")),
              Map.entry("integer", List.of("-1", "0", "2147483647", "-2147483648")),
              Map.entry("decimal(9,2)", List.of("-0.01", "0.01", "-9999999.99", "100.00")),
              Map.entry(
                  "decimal(38,10)",
                  List.of("-0.0000000001", "1.5", "-9999999999999999999999999999.0", "7")),
              Map.entry("date", List.of("DATE '1969-12-31'", "DATE '2024-02-29'")),
              Map.entry("time(6)", List.of("TIME '00:00:00'", "TIME '23:59:59.999999'")),
              Map.entry(
                  "timestamp(6)",
                  List.of(
                      "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '2024-01-01 00:00:00'")),
              Map.entry(
                  "timestamp(9)",
                  List.of(
                      "TIMESTAMP '1969-12-31 23:59:59.999999999'",
                      "TIMESTAMP '2024-01-01 00:00:00.000000001'")),
              Map.entry(
                  "timestamp(6) with time zone",
                  List.of(
                      "TIMESTAMP '1969-12-31 23:59:59.999999 UTC'",
                      "TIMESTAMP '2024-01-01 00:00:00 Asia/Tokyo'")),
              Map.entry(
                  "uuid",
                  List.of(
                      "UUID '00000000-0000-4000-8000-000000000001'",
                      "UUID '7fffffff-0000-4000-8000-000000000001'",
                      "UUID '80000000-0000-4000-8000-000000000001'",
                      "UUID 'ffffffff-0000-4000-8000-000000000001'")),
              Map.entry("varchar", List.of("''", "'a'", "'a '", "U&'\\+01F600'")),
              Map.entry("varbinary", List.of("X''", "X'00'", "X'80'", "X'FF00'"))));

  private final TrinoServer trino;
  private final TestTables tables;

  KeyTypesTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  @Test
  void everyKeyNamesItsRowInFilesAndInTheLog() {
    int number = 0;
    for (Map.Entry<String, List<String>> type : VALUES.entrySet()) {
      String table = "key_of_type" + number++;
      trino.execute(
          "CREATE TABLE %s (k %s, v integer) WITH (primary_key = ARRAY['k'])"
              .formatted(table, type.getKey()));
      String rows = String.join(", ", type.getValue().stream().map(k -> "(" + k + ", 1)").toList());
      trino.execute("INSERT INTO %s VALUES %s".formatted(table, rows));
      tables.materialize(table);

      // Each row once from the file, once from the log.
      trino.execute("UPDATE %s SET v = v + 1".formatted(table));
      trino.execute("UPDATE %s SET v = v + 1".formatted(table));
      for (String key : type.getValue()) {
        assertThat(trino.rows("SELECT v FROM %s WHERE k = %s".formatted(table, key)))
            .as("%s %s", type.getKey(), key)
            .containsExactly("3");
      }
      trino.execute("DELETE FROM %s WHERE k = %s".formatted(table, type.getValue().get(0)));
      trino.execute(
          "MERGE INTO %s t USING (SELECT %s k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 9"
              .formatted(table, type.getValue().get(1)));

      int rest = type.getValue().size() - 1;
      assertThat(trino.rows("SELECT count(*), max(v) FROM " + table))
          .as(type.getKey())
          .containsExactly(rest + "|9");
      tables.materialize(table);
      assertThat(trino.rows("SELECT count(*), max(v) FROM stock.s." + table))
          .as(type.getKey())
          .containsExactly(rest + "|9");
    }
  }

  @Test
  void aKeyOfTheSameInstantInAnotherZoneIsTheSameRow() {
    trino.execute(
        "CREATE TABLE instants (at timestamp(6) with time zone, v integer)"
            + " WITH (primary_key = ARRAY['at'])");
    trino.execute("INSERT INTO instants VALUES (TIMESTAMP '2024-01-01 00:00:00 UTC', 1)");
    tables.materialize("instants");
    List<String> before = trino.rows("SELECT \"$row_id\" FROM stock.s.instants");

    trino.execute("UPDATE instants SET at = at AT TIME ZONE 'Asia/Tokyo', v = 2");
    tables.materialize("instants");

    assertThat(trino.rows("SELECT v FROM stock.s.instants")).containsExactly("2");
    assertThat(trino.rows("SELECT \"$row_id\" FROM stock.s.instants")).isEqualTo(before);
  }

  @Test
  void aWiderKeyIsTheSameKey() {
    trino.execute(
        "CREATE TABLE widening (a integer, b decimal(9,2), v integer)"
            + " WITH (primary_key = ARRAY['a', 'b'])");
    trino.execute("INSERT INTO widening VALUES (1, 1.50, 1), (2, -1.50, 1), (3, 3.00, 1)");
    tables.materialize("widening");
    trino.execute("INSERT INTO widening VALUES (2, -1.50, 2), (4, 4.00, 2)");

    trino.execute("ALTER TABLE widening ALTER COLUMN a SET DATA TYPE bigint");
    trino.execute("ALTER TABLE widening ALTER COLUMN b SET DATA TYPE decimal(30,2)");
    trino.execute("INSERT INTO widening VALUES (1, 1.50, 3), (4, 4.00, 3)");
    trino.execute("DELETE FROM widening WHERE a = 3");
    trino.execute("UPDATE widening SET v = v * 10 WHERE a = 2");

    List<String> expected = List.of("1|1.50|3", "2|-1.50|20", "4|4.00|3");
    assertThat(trino.rows("SELECT * FROM widening")).isEqualTo(expected);
    tables.materialize("widening");
    assertThat(trino.rows("SELECT * FROM stock.s.widening")).isEqualTo(expected);
  }

  @Test
  void severalMatchesOfOneRowAreRefused() {
    trino.execute("CREATE TABLE matched WITH (primary_key = ARRAY['id']) AS SELECT 1 id, 0 v");

    assertThatThrownBy(
            () ->
                trino.execute(
                    "MERGE INTO matched m USING (VALUES (1, 1), (1, 2)) s(id, v) ON m.id = s.id"
                        + " WHEN MATCHED THEN UPDATE SET v = s.v"))
        .hasMessageContaining("matched more than one source row");

    assertThat(trino.rows("SELECT * FROM matched")).containsExactly("1|0");
  }
}
