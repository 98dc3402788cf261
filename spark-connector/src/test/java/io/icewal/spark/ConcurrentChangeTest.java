package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Statements whose table becomes another one while they run.
@ExtendWith(SparkServer.Shared.class)
class ConcurrentChangeTest {
  private static final AtomicReference<Runnable> MEANWHILE = new AtomicReference<>();

  private final SparkServer spark;
  private final TestTables tables;

  ConcurrentChangeTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
    spark
        .spark
        .udf()
        .register(
            "while_running",
            (UDF1<String, String>)
                value -> {
                  Runnable work = MEANWHILE.getAndSet(null);
                  if (work != null) {
                    work.run();
                  }
                  return value + "+";
                },
            DataTypes.StringType);
  }

  private void keyed(String table) {
    tables.create(table, FreshReadTest.KEYED);
    tables.upsert(table, tables.row(table, 1L, "a1"), tables.row(table, 2L, "a2"));
    tables.materialize(table);
  }

  private void conflicts(String sql, Runnable meanwhile) {
    MEANWHILE.set(meanwhile);
    assertThatThrownBy(() -> spark.execute(sql)).as(sql).hasStackTraceContaining("run it again");
    assertThat(MEANWHILE).hasValue(null);
  }

  private SupportsRead load(String table) {
    IcewalCatalog catalog =
        (IcewalCatalog) spark.spark.sessionState().catalogManager().catalog("icewal");
    try {
      return (SupportsRead)
          catalog.loadTable(Identifier.of(new String[] {TestTables.SCHEMA}, table));
    } catch (NoSuchTableException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void scanOfOtherColumnsThanTheQueryWasAnalysedWithFails() {
    keyed("widened");
    SupportsRead analysed = load("widened");

    tables.load("widened").updateSchema().deleteColumn("v").commit();
    tables.load("widened").updateSchema().addColumn("v", Types.LongType.get()).commit();

    assertThatThrownBy(() -> analysed.newScanBuilder(CaseInsensitiveStringMap.empty()))
        .hasMessageContaining("the schema of");
  }

  @Test
  void changesOfATableThatWasReplacedMeanwhileFail() {
    keyed("replaced_meanwhile");

    conflicts(
        "UPDATE replaced_meanwhile SET v = while_running(v) WHERE id = 1",
        () -> replace("replaced_meanwhile", FreshReadTest.KEYED));

    assertThat(spark.rows("SELECT * FROM replaced_meanwhile")).isEmpty();
  }

  private void replace(String table, Schema schema) {
    IcewalCatalog catalog =
        (IcewalCatalog) spark.spark.sessionState().catalogManager().catalog("icewal");
    try {
      catalog
          .stageReplace(
              Identifier.of(new String[] {TestTables.SCHEMA}, table),
              SparkSchemaUtil.convert(schema),
              new Transform[0],
              Map.of("primary-key", "id"))
          .commitStagedChanges();
    } catch (NoSuchTableException | NoSuchNamespaceException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void changesOfRowsThatWereRolledBackMeanwhileFail() {
    keyed("rolled_back");
    long before = tables.load("rolled_back").currentSnapshot().parentId();

    conflicts(
        "UPDATE rolled_back SET v = while_running(v) WHERE id = 1",
        () -> tables.load("rolled_back").manageSnapshots().rollbackTo(before).commit());
  }

  @Test
  void statementConflictsWithRowsThatCameAfterItWasAnalysed() throws Exception {
    keyed("analysed");
    RowLevelOperation update =
        ((SupportsRowLevelOperations) load("analysed"))
            .newRowLevelOperationBuilder(
                new RowLevelOperationInfo() {
                  @Override
                  public CaseInsensitiveStringMap options() {
                    return CaseInsensitiveStringMap.empty();
                  }

                  @Override
                  public RowLevelOperation.Command command() {
                    return RowLevelOperation.Command.UPDATE;
                  }
                })
            .build();

    tables.upsert("analysed", tables.row("analysed", 1L, "later"));
    ScanBuilder scan = update.newScanBuilder(CaseInsensitiveStringMap.empty());

    assertThat(scan).as("scan without tail").isInstanceOf(SupportsPushDownAggregates.class);
  }

  @Test
  void rowsForATableThatWasDroppedMeanwhileAreNotAcknowledged() {
    keyed("dropped_meanwhile");

    conflicts(
        "INSERT INTO dropped_meanwhile SELECT 7, while_running('x') FROM range(1)",
        () -> tables.catalog().dropTable(TestTables.name("dropped_meanwhile")));
  }

  @Test
  void rowsOfOtherTypesThanTheTableHasByThenAreNotAcknowledged() {
    keyed("retyped");

    conflicts(
        "INSERT INTO retyped SELECT 7, while_running('x') FROM range(1)",
        () ->
            replace(
                "retyped",
                new Schema(
                    Types.NestedField.required(1, "id", Types.LongType.get()),
                    Types.NestedField.optional(2, "v", Types.IntegerType.get()))));
  }

  @Test
  void rowsGoIntoATableThatGotAnotherColumnMeanwhile() {
    keyed("grown");

    MEANWHILE.set(
        () -> tables.load("grown").updateSchema().addColumn("w", Types.LongType.get()).commit());
    spark.execute("INSERT INTO grown SELECT 7, while_running('x') FROM range(1)");

    assertThat(spark.rows("SELECT * FROM grown WHERE id = 7")).containsExactly("7|x+|null");
  }

  @Test
  void rowsThatCameWhileAReplacingQueryRanAreGoneWithTheOldTable() {
    spark.execute("CREATE TABLE begun_late (v string)");
    Table old = tables.load("begun_late");

    MEANWHILE.set(() -> tables.upsert("begun_late", tables.row("begun_late", "old")));
    spark.execute(
        "CREATE OR REPLACE TABLE begun_late AS SELECT while_running('new') AS v FROM range(1)");

    assertThat(tables.load("begun_late").uuid()).isEqualTo(old.uuid());
    assertThat(spark.rows("SELECT * FROM begun_late")).containsExactly("new+");
  }

  @Test
  void writesForABranchAreRefused() {
    keyed("branched");
    tables.load("branched").manageSnapshots().createBranch("audit").commit();

    assertThatThrownBy(
            () ->
                spark
                    .spark
                    .sql("SELECT 9L AS id, 'x' AS v")
                    .writeTo("branched")
                    .option("branch", "audit")
                    .append())
        .hasStackTraceContaining("of branch main only");
    assertThat(spark.rows("SELECT * FROM branched WHERE id = 9")).isEmpty();
  }
}
