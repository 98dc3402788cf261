package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files that another engine wrote into a table of icewal: the tail hides their rows too.
@ExtendWith(TrinoServer.Shared.class)
class ForeignFileReadTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "name", Types.StringType.get()),
              NestedField.required(2, "day", Types.DateType.get()),
              NestedField.optional(3, "v", Types.LongType.get())),
          Set.of(1, 2));

  private final TrinoServer trino;
  private final TestTables tables;

  ForeignFileReadTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  @ParameterizedTest
  @ValueSource(strings = {"PARQUET", "ORC", "AVRO"})
  void rowsOfForeignFilesAreHidden(String format) {
    String table = "foreign_" + format.toLowerCase(java.util.Locale.ROOT);
    tables.create(table, SCHEMA);
    trino.execute("ALTER TABLE stock.s." + table + " SET PROPERTIES format = '" + format + "'");
    trino.execute(
        "INSERT INTO stock.s."
            + table
            + " VALUES ('a', DATE '2024-01-01', 1), ('b', DATE '2024-01-02', 2),"
            + " ('c', DATE '2024-01-03', 3)");
    java.time.LocalDate second = java.time.LocalDate.of(2024, 1, 2);
    tables.upsert(table, tables.row(table, "b", second, 20L), tables.row(table, "a", second, 9L));
    tables.delete(table, tables.row(table, "c", java.time.LocalDate.of(2024, 1, 3)));

    assertThat(trino.rows("SELECT * FROM " + table))
        .containsExactly("a|2024-01-01|1", "a|2024-01-02|9", "b|2024-01-02|20");
    assertThat(trino.rows("SELECT v FROM " + table + " WHERE v < 5")).containsExactly("1");
    assertThat(trino.rows("SELECT count(*) FROM " + table)).containsExactly("3");
  }
}
