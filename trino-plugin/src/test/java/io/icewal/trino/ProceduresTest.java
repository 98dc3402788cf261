package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.table.TablePosition;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TrinoServer.Shared.class)
class ProceduresTest {
  private final TrinoServer trino;
  private final TestTables tables;

  ProceduresTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  @Test
  void materializeBringsTheLogIntoASnapshot() {
    trino.execute("CREATE TABLE due (id integer, v varchar) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO due VALUES (1, 'a'), (2, 'b')");
    assertThat(trino.rows("SELECT count(*) FROM stock.s.due")).containsExactly("0");

    trino.execute("CALL system.materialize('s', 'due')");

    assertThat(trino.rows("SELECT * FROM stock.s.due")).containsExactly("1|a", "2|b");
    trino.execute("CALL system.materialize('s', 'due')");
  }

  @Test
  void flushWaitsForTheMaintenanceRunner() throws Exception {
    trino.execute("CREATE TABLE flushed (id integer) WITH (primary_key = ARRAY['id'])");
    trino.execute("INSERT INTO flushed VALUES 1");

    CompletableFuture<Void> flush =
        CompletableFuture.runAsync(() -> trino.execute("CALL system.flush('s', 'flushed')"));
    while (!flush.isDone()) {
      tables.materialize("flushed");
    }
    flush.get();

    assertThat(trino.rows("SELECT * FROM stock.s.flushed")).containsExactly("1");
  }

  @Test
  void adoptTakesOverTablesOfOthers() {
    trino.execute("CREATE TABLE stock.s.theirs AS SELECT 1 id, 'a' v");
    assertThatThrownBy(() -> trino.execute("CALL system.materialize('s', 'theirs')"))
        .hasMessageContaining("is not icewal's");

    trino.execute(
        "CALL system.adopt(schema_name => 's', table_name => 'theirs', primary_key => ARRAY['id'],"
            + " require_key => true)");

    assertThat(TablePosition.valid(tables.load("theirs"))).isPresent();
    trino.execute("INSERT INTO theirs VALUES (1, 'b')");
    assertThat(trino.rows("SELECT * FROM theirs")).containsExactly("1|b");
    trino.execute("CREATE TABLE stock.s.twins AS SELECT 1 id FROM (VALUES 1, 2)");
    assertThatThrownBy(() -> trino.execute("CALL system.adopt('s', 'twins', ARRAY['id'], true)"))
        .hasMessageContaining("twins");
  }
}
