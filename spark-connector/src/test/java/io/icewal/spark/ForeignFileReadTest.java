package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.TestTables;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files that another engine wrote into a table of icewal: the tail hides their rows too, beside
/// those that it has deleted itself.
@ExtendWith(SparkServer.Shared.class)
class ForeignFileReadTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "name", Types.StringType.get()),
              NestedField.required(2, "day", Types.DateType.get()),
              NestedField.optional(3, "v", Types.LongType.get())),
          Set.of(1, 2));

  private final SparkServer spark;
  private final TestTables tables;

  ForeignFileReadTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  @ParameterizedTest
  @ValueSource(strings = {"PARQUET", "ORC", "AVRO"})
  void rowsOfForeignFilesAreHidden(String format) {
    String table = "foreign_" + format.toLowerCase(java.util.Locale.ROOT);
    tables.create(table, SCHEMA);
    String stock = "stock.s." + table;
    spark.execute(
        "ALTER TABLE " + stock + " SET TBLPROPERTIES ('write.format.default' = '" + format + "')");
    spark.execute(
        "INSERT INTO "
            + stock
            + " SELECT name, day, v FROM VALUES ('a', DATE '2024-01-01', 1L),"
            + " ('b', DATE '2024-01-02', 2L), ('c', DATE '2024-01-03', 3L), ('d', DATE"
            + " '2024-01-04', 4L), ('e', DATE '2024-01-05', 5L) t(name, day, v)");
    spark.execute("DELETE FROM " + stock + " WHERE name = 'd'");
    LocalDate second = LocalDate.of(2024, 1, 2);
    tables.upsert(table, tables.row(table, "b", second, 20L), tables.row(table, "a", second, 9L));
    tables.delete(table, tables.row(table, "c", LocalDate.of(2024, 1, 3)));

    assertThat(spark.rows("SELECT * FROM " + table))
        .containsExactly("a|2024-01-01|1", "a|2024-01-02|9", "b|2024-01-02|20", "e|2024-01-05|5");
    assertThat(spark.rows("SELECT v FROM " + table + " WHERE v < 5")).containsExactly("1");
    assertThat(spark.rows("SELECT count(*) FROM " + table)).containsExactly("4");
  }
}
