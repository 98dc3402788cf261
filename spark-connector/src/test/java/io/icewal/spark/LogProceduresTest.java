package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.table.TablePosition;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The procedures that are icewal's own.
@ExtendWith(SparkServer.Shared.class)
class LogProceduresTest {
  private final SparkServer spark;
  private final TestTables tables;

  LogProceduresTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  @Test
  void materializeBringsTheLogIntoASnapshot() {
    spark.execute("CREATE TABLE call_due (id int, v string) TBLPROPERTIES ('primary-key' = 'id')");
    spark.execute("INSERT INTO call_due VALUES (1, 'a'), (2, 'b')");
    spark.execute("INSERT INTO call_due VALUES (2, 'c')");
    assertThat(spark.rows("SELECT count(*) FROM stock.s.call_due")).containsExactly("0");

    String position = tables.load("call_due").properties().get(TablePosition.PROPERTY);
    assertThat(spark.rows("CALL system.materialize('s.call_due')").get(0)).startsWith("3|1|");

    assertThat(tables.load("call_due").properties().get(TablePosition.PROPERTY))
        .isNotEqualTo(position);
    assertThat(spark.rows("SELECT * FROM stock.s.call_due")).containsExactly("1|a", "2|c");
    assertThat(spark.rows("CALL icewal.system.materialize(table => 'call_due')").get(0))
        .startsWith("0|0|");
  }

  @Test
  void flushWaitsForTheMaintenanceRunner() throws Exception {
    spark.execute("CREATE TABLE call_flushed (id int) TBLPROPERTIES ('primary-key' = 'id')");
    spark.execute("INSERT INTO call_flushed VALUES (1)");

    CompletableFuture<Void> flush =
        CompletableFuture.runAsync(
            () -> spark.execute("CALL icewal.system.flush('s.call_flushed')"));
    while (!flush.isDone()) {
      tables.materialize("call_flushed");
    }
    flush.get();

    assertThat(spark.rows("SELECT * FROM stock.s.call_flushed")).containsExactly("1");
  }

  @Test
  void adoptTakesOverTablesOfOthers() {
    spark.execute("CREATE TABLE stock.s.call_theirs (id int, v string) USING iceberg");
    spark.execute("INSERT INTO stock.s.call_theirs VALUES (1, 'a')");
    assertThatThrownBy(() -> spark.execute("CALL system.materialize('s.call_theirs')"))
        .hasMessageContaining("s.call_theirs is not icewal's: CALL system.adopt takes it over");
    assertThatThrownBy(() -> spark.execute("CALL system.flush('s.call_theirs')"))
        .hasMessageContaining("is not icewal's");

    assertThat(
            spark.rows(
                "CALL system.adopt(table => 's.call_theirs', primary_key => array('id'),"
                    + " require_key => true)"))
        .hasSize(1)
        .allMatch(row -> row.startsWith("adopted|") && row.contains("id") && row.contains("|1|1|"));

    assertThat(TablePosition.valid(tables.load("call_theirs"))).isPresent();
    spark.execute("INSERT INTO call_theirs VALUES (1, 'b')");
    assertThat(spark.rows("SELECT * FROM call_theirs")).containsExactly("1|b");
    assertThat(spark.rows("CALL system.adopt('s.call_theirs')").get(0))
        .startsWith("adopted before|");
  }

  @Test
  void adoptRefusesKeysThatAreThereTwice() {
    spark.execute("CREATE TABLE stock.s.call_twins (id int) USING iceberg");
    spark.execute("INSERT INTO stock.s.call_twins VALUES (1), (1)");

    assertThatThrownBy(() -> spark.execute("CALL system.adopt('s.call_twins', array('id'), true)"))
        .hasMessageContaining("call_twins");
    assertThat(TablePosition.valid(tables.load("call_twins"))).isEmpty();
  }

  @Test
  void proceduresAreListedAndDescribed() {
    assertThat(spark.rows("SHOW PROCEDURES IN icewal.system").toString())
        .contains("|adopt", "|flush", "|materialize", "|rewrite_data_files")
        .doesNotContain("|migrate");
    assertThat(spark.rows("DESCRIBE PROCEDURE icewal.system.adopt").toString())
        .contains("primary_key", "require_key", "Takes over a table");
    assertThatThrownBy(() -> spark.execute("CALL system.migrate('s.t')"))
        .hasStackTraceContaining("no procedure migrate");
    assertThatThrownBy(() -> spark.execute("CALL system.materialize('stock.s.call_due')"))
        .hasMessageContaining("is in catalog stock");
    assertThatThrownBy(() -> spark.execute("CALL system.materialize('s.call_nothing')"))
        .hasMessageContaining("there is no table s.call_nothing");
  }
}
