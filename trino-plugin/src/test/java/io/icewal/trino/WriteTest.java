package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.table.TablePosition;
import io.trino.testing.QueryFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Statements that change rows go through the log, whole or not at all.
@ExtendWith(TrinoServer.Shared.class)
class WriteTest {
  private final TrinoServer trino;
  private final TestTables tables;

  WriteTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  private long snapshots(String table) {
    return Long.parseLong(trino.rows("SELECT count(*) FROM \"" + table + "$snapshots\"").get(0));
  }

  /// 1 to 5 in a file, 4 to 8 in the log.
  private void fill(String table) {
    tables.create(table, TestTables.KEYED);
    trino.execute("INSERT INTO " + table + " SELECT x, 'a' FROM UNNEST(sequence(1, 5)) t(x)");
    tables.materialize(table);
    trino.execute("INSERT INTO " + table + " SELECT x, 'b' FROM UNNEST(sequence(4, 8)) t(x)");
  }

  @Test
  void insertGoesIntoTheLogAndReplacesRowsOfItsKeys() {
    fill("inserted");

    assertThat(trino.rows("SELECT * FROM inserted"))
        .containsExactly("1|a", "2|a", "3|a", "4|b", "5|b", "6|b", "7|b", "8|b");
    assertThat(snapshots("inserted")).isEqualTo(2);
    tables.materialize("inserted");
    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM stock.s.inserted"))
        .containsExactly("8|8");
  }

  @Test
  void insertIntoTableWithoutKeyAddsRows() {
    tables.create("added", new Schema(NestedField.optional(1, "n", Types.IntegerType.get())));
    trino.execute("INSERT INTO added VALUES 1, 1");
    trino.execute("INSERT INTO added VALUES 1, NULL");

    assertThat(trino.rows("SELECT n, count(*) FROM added GROUP BY n"))
        .containsExactly("1|3", "null|1");
  }

  @Test
  void largeInsertIsStagedByManyTasksAndPublishedOnce() {
    tables.create("large", TestTables.KEYED);

    trino.execute(
        "INSERT INTO large SELECT orderkey, comment FROM (SELECT a.x * 1000 + b.x orderkey,"
            + " 'x' || CAST(b.x AS varchar) comment FROM UNNEST(sequence(0, 199)) a(x),"
            + " UNNEST(sequence(0, 999)) b(x))");

    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM large"))
        .containsExactly("200000|200000");
    assertThat(trino.rows("SELECT segments FROM \"large$tail\"")).containsExactly("1");
  }

  @Test
  void failedInsertLeavesNothing() {
    tables.create("failed", TestTables.KEYED);

    assertThatThrownBy(
            () ->
                trino.execute(
                    "INSERT INTO failed SELECT x, CAST(1 / (x - 9000) AS varchar) FROM"
                        + " UNNEST(sequence(1, 10000)) t(x)"))
        .hasMessageContaining("Division by zero");

    assertThat(trino.rows("SELECT count(*) FROM failed")).containsExactly("0");
  }

  @Test
  void updateDeleteAndMergeChangeRowsOfFilesAndLog() {
    fill("changed");

    trino.execute("UPDATE changed SET v = 'u' WHERE id IN (1, 4)");
    trino.execute("DELETE FROM changed WHERE id IN (2, 5, 8)");
    trino.execute(
        "MERGE INTO changed c USING (VALUES (3, 'm'), (6, 'gone'), (9, 'new')) s(id, v)"
            + " ON c.id = s.id"
            + " WHEN MATCHED AND s.v = 'gone' THEN DELETE"
            + " WHEN MATCHED THEN UPDATE SET v = s.v"
            + " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)");

    List<String> expected = List.of("1|u", "3|m", "4|u", "7|b", "9|new");
    assertThat(trino.rows("SELECT * FROM changed")).isEqualTo(expected);
    assertThat(snapshots("changed")).isEqualTo(2);
    tables.materialize("changed");
    assertThat(trino.rows("SELECT * FROM stock.s.changed")).isEqualTo(expected);
  }

  @Test
  void keysMayMoveOverEachOther() {
    fill("moved");

    trino.execute("UPDATE moved SET id = id + 1");

    assertThat(trino.rows("SELECT id FROM moved"))
        .containsExactly("2", "3", "4", "5", "6", "7", "8", "9");
    assertThat(trino.rows("SELECT v FROM moved WHERE id = 2")).containsExactly("a");
  }

  @Test
  void updateKeepsTheRowId() {
    tables.create("lineage", TestTables.KEYED);
    trino.execute("INSERT INTO lineage VALUES (1, 'a'), (2, 'a')");
    tables.materialize("lineage");
    List<String> before = trino.rows("SELECT id, \"$row_id\" FROM stock.s.lineage");

    trino.execute("UPDATE lineage SET v = 'b'");
    tables.materialize("lineage");

    assertThat(trino.rows("SELECT id, \"$row_id\" FROM stock.s.lineage")).isEqualTo(before);
  }

  @Test
  void keysOfSeveralFieldsNameRows() {
    Types.StructType place =
        Types.StructType.of(
            NestedField.required(4, "city", Types.StringType.get()),
            NestedField.optional(5, "note", Types.StringType.get()));
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "day", Types.DateType.get()),
                NestedField.optional(2, "v", Types.LongType.get()),
                NestedField.required(3, "place", place)),
            Set.of(1, 4));
    tables.create("composite", schema, PartitionSpec.builderFor(schema).month("day").build());
    trino.execute(
        "INSERT INTO composite VALUES"
            + " (DATE '2024-01-01', 1, ROW('x', 'n')), (DATE '2024-02-01', 2, ROW('x', NULL)),"
            + " (DATE '2024-01-01', 3, ROW('y', 'n'))");
    tables.materialize("composite");

    trino.execute("UPDATE composite SET v = v * 10 WHERE place.city = 'x'");
    trino.execute("DELETE FROM composite WHERE day = DATE '2024-01-01' AND place.city = 'y'");

    assertThat(trino.rows("SELECT day, v, place.city FROM composite"))
        .containsExactly("2024-01-01|10|x", "2024-02-01|20|x");
  }

  @Test
  void truncationAndDeletionOfEverythingAreOneBlock() {
    fill("cleared");
    trino.execute("TRUNCATE TABLE cleared");
    assertThat(trino.rows("SELECT count(*) FROM cleared")).containsExactly("0");
    trino.execute("INSERT INTO cleared VALUES (1, 'x')");
    assertThat(trino.rows("SELECT * FROM cleared")).containsExactly("1|x");

    trino.execute("DELETE FROM cleared");

    assertThat(trino.rows("SELECT count(*) FROM cleared")).containsExactly("0");
    tables.materialize("cleared");
    assertThat(trino.rows("SELECT count(*) FROM stock.s.cleared")).containsExactly("0");
  }

  private void fillKeyless(String table) {
    Schema schema =
        new Schema(
            NestedField.optional(1, "n", Types.IntegerType.get()),
            NestedField.optional(2, "v", Types.StringType.get()));
    tables.create(table, schema, PartitionSpec.builderFor(schema).truncate("n", 2).build());
    trino.execute("INSERT INTO " + table + " VALUES (1, 'f'), (2, 'f'), (2, 'f'), (3, 'f')");
    tables.materialize(table);
    trino.execute("INSERT INTO " + table + " VALUES (2, 'l'), (3, 'l'), (4, 'l'), (4, 'l')");
  }

  @Test
  void rowsWithoutKeyAreChangedInFilesAfterTheLogWasTakenIntoThem() {
    fillKeyless("keyless");

    trino.execute("DELETE FROM keyless WHERE n = 2 AND v = 'l'");
    assertThat(trino.rows("SELECT n, v FROM stock.s.keyless"))
        .isEqualTo(trino.rows("SELECT n, v FROM keyless"))
        .containsExactly("1|f", "2|f", "2|f", "3|f", "3|l", "4|l", "4|l");

    trino.execute("INSERT INTO keyless VALUES (5, 'm')");
    trino.execute("UPDATE keyless SET v = 'u' WHERE n > 3");
    trino.execute("INSERT INTO keyless VALUES (6, 'm')");
    trino.execute(
        "MERGE INTO keyless k USING (VALUES (3, 'x'), (6, 'y'), (7, 'z')) s(n, v) ON k.n = s.n"
            + " WHEN MATCHED AND s.n = 3 THEN DELETE"
            + " WHEN MATCHED THEN UPDATE SET v = s.v"
            + " WHEN NOT MATCHED THEN INSERT VALUES (s.n, s.v)");

    assertThat(trino.rows("SELECT n, v FROM keyless"))
        .containsExactly("1|f", "2|f", "2|f", "4|u", "4|u", "5|u", "6|y", "7|z");
    assertThat(TablePosition.valid(tables.load("keyless"))).isPresent();
    trino.execute("INSERT INTO keyless VALUES (8, 'm')");
    assertThat(trino.rows("EXPLAIN ANALYZE UPDATE keyless SET v = 'e' WHERE n = 8")).isNotEmpty();
    assertThat(trino.rows("SELECT v FROM keyless WHERE n = 8")).containsExactly("e");
    trino.execute("DELETE FROM keyless");
    assertThat(trino.rows("SELECT n FROM keyless")).isEmpty();
  }

  @Test
  void statementOnRowsWithoutKeyReadsTheTableInOneVersion() {
    fillKeyless("looked_at");

    trino.execute(
        "DELETE FROM looked_at WHERE n IN"
            + " (SELECT n FROM looked_at GROUP BY n HAVING count(DISTINCT v) = 2)");

    assertThat(trino.rows("SELECT n, v FROM looked_at")).containsExactly("1|f", "4|l", "4|l");
  }

  @Test
  void statementOnRowsWithoutKeyIsRefusedIfItReadsFilesOnly() {
    fillKeyless("files_only");
    List<String> before = trino.rows("SELECT n, v FROM files_only");

    assertThatThrownBy(
            () ->
                trino.runner.execute(
                    trino.with("fresh", "false"), "DELETE FROM files_only WHERE n = 2"))
        .hasMessageContaining("set the session property fresh to true");

    assertThat(trino.rows("SELECT n, v FROM files_only")).isEqualTo(before);
  }

  @Test
  void everyTypeIsWrittenAsItIsRead() {
    io.icewal.parquet.RandomRows values = new io.icewal.parquet.RandomRows(77);
    List<NestedField> columns = new ArrayList<>(values.schema(8, 3).columns());
    columns.add(NestedField.required(900, "id", Types.LongType.get()));
    for (org.apache.iceberg.types.Type type : io.icewal.parquet.RandomRows.PRIMITIVES) {
      int id = 900 + columns.size();
      columns.add(NestedField.optional(id, "p" + id, type));
    }
    tables.create("source", new Schema(columns, Set.of(900)));
    tables.create("target", new Schema(columns, Set.of(900)));
    List<org.apache.iceberg.data.Record> rows = values.records(tables.load("source").schema(), 60);
    for (int i = 0; i < rows.size(); i++) {
      rows.get(i).setField("id", (long) i);
    }
    tables.upsert("source", rows);

    trino.execute("INSERT INTO target SELECT * FROM source");

    assertThat(trino.rows("SELECT * FROM target"))
        .hasSize(60)
        .isEqualTo(trino.rows("SELECT * FROM source"));
  }

  @Test
  void concurrentStatementsNeverLoseAnUpdate() throws Exception {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "n", Types.LongType.get())),
            Set.of(1));
    tables.create("counter", schema);
    trino.execute("INSERT INTO counter VALUES (1, 0)");
    int clients = 8;
    int rounds = 2;
    List<Future<Integer>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
      for (int i = 0; i < clients; i++) {
        Callable<Integer> client =
            () -> {
              int conflicts = 0;
              for (int done = 0; done < rounds; ) {
                try {
                  trino.execute("UPDATE counter SET n = n + 1 WHERE id = 1");
                  done++;
                } catch (QueryFailedException e) {
                  assertThat(e).hasMessageContaining("must read again");
                  conflicts++;
                }
              }
              return conflicts;
            };
        running.add(threads.submit(client));
      }
    }
    int conflicts = 0;
    for (Future<Integer> client : running) {
      conflicts += client.get();
    }

    assertThat(trino.rows("SELECT n FROM counter")).containsExactly("" + clients * rounds);
    assertThat(conflicts).isPositive();
  }

  @Test
  void statementsOnDifferentKeysDoNotConflict() {
    fill("disjoint");

    trino.beforeNextStagedBlock(
        () -> tables.upsert("disjoint", tables.row("disjoint", 7L, "other")));
    trino.execute("UPDATE disjoint SET v = 'mine' WHERE id = 1");
    trino.beforeNextStagedBlock(
        () -> tables.upsert("disjoint", tables.row("disjoint", 2L, "other")));
    assertThatThrownBy(() -> trino.execute("UPDATE disjoint SET v = 'lost' WHERE id = 2"))
        .hasMessageContaining("must read again");
    trino.beforeNextStagedBlock(() -> tables.truncate("disjoint"));
    assertThatThrownBy(() -> trino.execute("UPDATE disjoint SET v = 'lost' WHERE id = 1"))
        .hasMessageContaining("must read again");

    assertThat(trino.rows("SELECT * FROM disjoint")).isEmpty();
  }

  @Test
  void rowsThatCameMeanwhileStay() {
    fill("meanwhile");

    trino.beforeNextStagedBlock(
        () -> tables.upsert("meanwhile", tables.row("meanwhile", 7L, "other")));
    trino.execute("UPDATE meanwhile SET v = 'mine' WHERE id IN (1, 2)");

    assertThat(trino.rows("SELECT id, v FROM meanwhile WHERE id IN (1, 7)"))
        .containsExactly("1|mine", "7|other");
  }
}
