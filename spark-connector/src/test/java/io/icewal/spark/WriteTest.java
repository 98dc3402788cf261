package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.parquet.RandomRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What Spark writes goes through the log: all of a statement or nothing, once.
@ExtendWith(SparkServer.Shared.class)
class WriteTest {
  private static final AtomicReference<Runnable> MEANWHILE = new AtomicReference<>();

  private final SparkServer spark;
  private final TestTables tables;

  WriteTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  private void keyed(String table) {
    tables.create(table, FreshReadTest.KEYED);
    List<Record> base = new ArrayList<>();
    for (long id = 1; id <= 4; id++) {
      base.add(tables.row(table, id, "a" + id));
    }
    tables.upsert(table, base);
    tables.materialize(table);
  }

  @Test
  void insertedRowsReplaceThoseOfTheirKey() {
    keyed("inserted");
    long snapshot = tables.load("inserted").currentSnapshot().snapshotId();

    spark.execute("INSERT INTO inserted VALUES (2, 'b2'), (5, 'b5')");
    spark.execute("INSERT INTO inserted (v, id) SELECT 'c' || id, id FROM range(100, 103)");

    assertThat(spark.rows("SELECT * FROM inserted"))
        .containsExactly(
            "100|c100", "101|c101", "102|c102", "1|a1", "2|b2", "3|a3", "4|a4", "5|b5");
    assertThat(tables.load("inserted").currentSnapshot().snapshotId()).isEqualTo(snapshot);
    List<String> fresh = spark.rows("SELECT * FROM inserted");
    tables.materialize("inserted");
    assertThat(spark.rows("SELECT * FROM stock.s.inserted")).isEqualTo(fresh);
  }

  @Test
  void dataFramesAreAppendedByEveryTask() {
    spark.execute("CREATE TABLE appended (id bigint, v string)");

    spark
        .spark
        .range(0, 20_000, 1, 4)
        .selectExpr("id", "cast(id AS string) AS v")
        .write()
        .format("icewal")
        .mode("append")
        .save("s.appended");
    spark
        .spark
        .range(5)
        .selectExpr("id", "'x' AS v")
        .writeTo("appended")
        .option("a", "b")
        .createOrReplace();
    spark.spark.range(5).selectExpr("id", "'y' AS v").write().insertInto("appended");

    assertThat(spark.rows("SELECT v, count(*) FROM appended GROUP BY v"))
        .containsExactly("x|5", "y|5");
  }

  @Test
  void manyTasksWriteOneStatement() {
    spark.execute("CREATE TABLE wide (id bigint, v string) TBLPROPERTIES ('primary-key' = 'id')");

    spark.execute("INSERT INTO wide SELECT id % 9000, 'v' FROM range(0, 20000, 1, 4)");

    assertThat(spark.rows("SELECT count(*), count(DISTINCT id) FROM wide"))
        .containsExactly("9000|9000");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void valuesOfEveryTypeAreWrittenAsTheyAre(long seed) {
    RandomRows values =
        new RandomRows(seed + Long.getLong("icewal.seed", 0), TailTypesTest.PRIMITIVES);
    List<NestedField> columns = new ArrayList<>(values.schema(4, 3).columns());
    for (int i = 0; i < TailTypesTest.PRIMITIVES.size(); i++) {
      columns.add(NestedField.optional(700 + i, "p" + i, TailTypesTest.PRIMITIVES.get(i)));
    }
    columns.add(NestedField.required(900, "id", Types.LongType.get()));
    Schema schema = new Schema(columns, Set.of(900));
    tables.create("from" + seed, schema);
    tables.create("to" + seed, schema);
    List<Record> rows = values.records(tables.load("from" + seed).schema(), 40);
    for (int i = 0; i < rows.size(); i++) {
      rows.get(i).setField("id", (long) i);
    }
    tables.upsert("from" + seed, rows);

    spark.execute("INSERT INTO to" + seed + " SELECT * FROM from" + seed);

    List<String> expected = spark.rows("SELECT * FROM from" + seed);
    assertThat(spark.rows("SELECT * FROM to" + seed)).as("seed " + seed).isEqualTo(expected);
    tables.materialize("to" + seed);
    assertThat(spark.rows("SELECT * FROM stock.s.to" + seed)).isEqualTo(expected);
  }

  @Test
  void overwritingReplacesEveryRow() {
    keyed("overwritten");

    spark.execute("INSERT OVERWRITE overwritten VALUES (9, 'only')");
    assertThat(spark.rows("SELECT * FROM overwritten")).containsExactly("9|only");
    spark
        .spark
        .sql("SELECT 7L AS id, 'frame' AS v")
        .write()
        .format("icewal")
        .mode("overwrite")
        .save("s.overwritten");
    assertThat(spark.rows("SELECT * FROM overwritten")).containsExactly("7|frame");
    tables.materialize("overwritten");
    assertThat(spark.rows("SELECT * FROM stock.s.overwritten")).containsExactly("7|frame");
  }

  @Test
  void deletingWithoutAConditionRemovesAll() {
    keyed("emptied_by_delete");
    keyed("emptied_by_truncate");
    tables.upsert("emptied_by_delete", tables.row("emptied_by_delete", 8L, "log"));

    spark.execute("DELETE FROM emptied_by_delete");
    spark.execute("TRUNCATE TABLE emptied_by_truncate");

    assertThat(spark.rows("SELECT * FROM emptied_by_delete")).isEmpty();
    assertThat(spark.rows("SELECT * FROM emptied_by_truncate")).isEmpty();
  }

  @Test
  void rowsAreChangedByKeyWhereverTheyAre() {
    keyed("changed");
    tables.upsert("changed", tables.row("changed", 5L, "log"), tables.row("changed", 6L, "log"));

    spark.execute("UPDATE changed SET v = v || '!' WHERE id IN (1, 5)");
    spark.execute("DELETE FROM changed WHERE v = 'log' OR id = 2");
    spark.execute("UPDATE changed SET id = id + 100 WHERE id = 3");

    assertThat(spark.rows("SELECT * FROM changed"))
        .containsExactly("103|a3", "1|a1!", "4|a4", "5|log!");
    tables.materialize("changed");
    assertThat(spark.rows("SELECT * FROM stock.s.changed"))
        .containsExactly("103|a3", "1|a1!", "4|a4", "5|log!");
  }

  @Test
  void mergeUpdatesInsertsAndDeletes() {
    keyed("merged");
    tables.upsert("merged", tables.row("merged", 5L, "log"));

    spark.execute(
        "MERGE INTO merged t USING (SELECT * FROM VALUES (1, 'new'), (2, NULL), (5, 'seen'),"
            + " (9, 'born') AS x(id, v)) s ON t.id = s.id WHEN MATCHED AND s.v IS NULL THEN DELETE"
            + " WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES"
            + " (s.id, s.v) WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN UPDATE SET v = 'alone'");

    assertThat(spark.rows("SELECT * FROM merged"))
        .containsExactly("1|new", "3|a3", "4|alone", "5|seen", "9|born");
    refused(
        "MERGE INTO merged t USING (SELECT * FROM VALUES (1, 'x'), (1, 'y') AS x(id, v)) s ON"
            + " t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v",
        "MERGE_CARDINALITY_VIOLATION");
  }

  @Test
  void statementIsRefusedIfItsKeysWereWrittenSinceItRead() {
    keyed("raced");
    spark
        .spark
        .udf()
        .register(
            "meanwhile",
            (UDF1<String, String>)
                value -> {
                  Runnable work = MEANWHILE.getAndSet(null);
                  if (work != null) {
                    work.run();
                  }
                  return value + "+";
                },
            DataTypes.StringType);
    String update = "UPDATE raced SET v = meanwhile(v) WHERE id = 1";

    MEANWHILE.set(() -> tables.upsert("raced", tables.row("raced", 1L, "other")));
    assertThatThrownBy(() -> spark.execute(update)).hasMessageContaining("read again");
    assertThat(spark.rows("SELECT v FROM raced WHERE id = 1")).containsExactly("other");
    MEANWHILE.set(() -> tables.upsert("raced", tables.row("raced", 2L, "far")));
    spark.execute(update);

    assertThat(spark.rows("SELECT * FROM raced WHERE id < 3")).containsExactly("1|other+", "2|far");
  }

  @Test
  void failedStatementWritesNothing() {
    keyed("failed");

    assertThatThrownBy(
            () ->
                spark.execute(
                    "INSERT INTO failed SELECT id, if(id = 900, raise_error('stop'), 'x') FROM"
                        + " range(0, 1000, 1, 4)"))
        .hasMessageContaining("stop");

    assertThat(spark.rows("SELECT count(*) FROM failed")).containsExactly("4");
  }

  @Test
  void whatATableCannotTakeIsRefused() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(
                    2,
                    "s",
                    Types.StructType.of(NestedField.required(3, "x", Types.IntegerType.get()))),
                NestedField.optional(4, "u", Types.UUIDType.get()),
                NestedField.optional(5, "f", Types.FixedType.ofLength(3))),
            Set.of(1));
    tables.create("strict", schema);

    refused("INSERT INTO strict VALUES (NULL, NULL, NULL, NULL)", "id");
    refused("INSERT INTO strict SELECT 1, NULL, 'no', NULL", "column u, rule uuid: 'no'");
    refused(
        "INSERT INTO strict SELECT 1, NULL, '123456789-0-0-0-0', NULL",
        "column u, rule uuid: '123456789-0-0-0-0'");
    refused("INSERT INTO strict SELECT 1, NULL, NULL, X'0102'", "column f, rule length");
    spark.execute("CREATE TABLE parted (n int) PARTITIONED BY (truncate(10, n))");
    refused("INSERT INTO parted VALUES (-2147483648)", "column n, rule partition: -2147483648:");
    spark.execute("CREATE TABLE unkeyed (n int)");
    refused("UPDATE unkeyed SET n = 1", "has no primary key");
    refused("DELETE FROM unkeyed WHERE n = 1", "has no primary key");
    assertThat(spark.rows("SELECT * FROM strict")).isEmpty();
  }

  @Test
  void branchesTagsAndSnapshotsAreNotWritten() {
    keyed("versions");
    long snapshot = tables.load("versions").currentSnapshot().snapshotId();
    tables
        .load("versions")
        .manageSnapshots()
        .createBranch("side", snapshot)
        .createTag("then", snapshot)
        .commit();
    String[] versions = {
      "branch_main", "branch_side", "tag_main", "tag_side", "tag_then", "snapshot_id_" + snapshot
    };

    for (String version : versions) {
      String name = "icewal.s.versions." + version;
      refused("INSERT INTO " + name + " VALUES (1, 'twice')", "into its log");
      refused("INSERT OVERWRITE " + name + " VALUES (1, 'twice')", "into its log");
      refused("DELETE FROM " + name, "into its log");
      refused("DELETE FROM " + name + " WHERE id = 1", "into its log");
      refused("TRUNCATE TABLE " + name, "into its log");
      refused("UPDATE " + name + " SET v = 'x' WHERE id = 1", "into its log");
      refused(
          "MERGE INTO "
              + name
              + " t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN"
              + " DELETE",
          "into its log");
      assertThat(spark.rows("SELECT * FROM " + name))
          .as(version)
          .containsExactly("1|a1", "2|a2", "3|a3", "4|a4");
    }
    assertThat(spark.rows("SELECT * FROM versions"))
        .containsExactly("1|a1", "2|a2", "3|a3", "4|a4");
    assertThat(tables.load("versions").currentSnapshot().snapshotId()).isEqualTo(snapshot);
  }

  @Test
  void branchThatExtensionsOfSparkAskForIsNotWritten() throws Exception {
    keyed("asked");
    SparkTable table =
        (SparkTable)
            ((IcewalCatalog) spark.spark.sessionState().catalogManager().catalog("icewal"))
                .loadTable(Identifier.of(new String[] {"s"}, "asked"));

    assertThat(table.copyWithBranch("main")).isSameAs(table);
    SparkTable side = table.copyWithBranch("side");
    assertThat(side.branch()).isEqualTo("side");
    assertThatThrownBy(side::truncateTable).hasMessageContaining("into its log");
    assertThat(side.copyWithBranch("main").branch()).isEqualTo("main");
    assertThatThrownBy(side.copyWithBranch("main")::truncateTable)
        .hasMessageContaining("into its log");
  }

  @Test
  void rowsToBeHeldBackAreRefused() {
    keyed("audited");
    spark.execute("ALTER TABLE audited SET TBLPROPERTIES ('write.wap.enabled' = 'true')");
    Map<String, String> why =
        Map.of(
            "spark.wap.id", "cannot be held back for spark.wap.id = x",
            "spark.wap.branch", "which is of branch main only");

    why.forEach(
        (setting, message) -> {
          spark.spark.conf().set(setting, "x");
          try {
            refused("INSERT INTO audited VALUES (1, 'early')", message);
            refused("INSERT OVERWRITE audited VALUES (1, 'early')", message);
            refused("DELETE FROM audited", message);
            refused("DELETE FROM audited WHERE id = 1", message);
            refused("TRUNCATE TABLE audited", message);
            refused("UPDATE audited SET v = 'early' WHERE id = 1", message);
          } finally {
            spark.spark.conf().unset(setting);
          }
        });

    assertThat(spark.rows("SELECT * FROM audited")).containsExactly("1|a1", "2|a2", "3|a3", "4|a4");
    spark.execute("INSERT INTO audited VALUES (1, 'now')");
    assertThat(spark.rows("SELECT v FROM audited WHERE id = 1")).containsExactly("now");
  }

  private void refused(String sql, String why) {
    assertThatThrownBy(() -> spark.execute(sql)).as(sql).hasStackTraceContaining(why);
  }
}
