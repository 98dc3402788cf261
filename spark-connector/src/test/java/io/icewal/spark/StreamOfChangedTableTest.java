package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Streams whose table is replaced, made anew or given other columns meanwhile.
@ExtendWith(SparkServer.Shared.class)
class StreamOfChangedTableTest {
  private final SparkServer spark;
  private final TestTables tables;
  private final CollectedStreams streams;

  StreamOfChangedTableTest(SparkServer spark, @TempDir Path folder) {
    this.spark = spark;
    this.tables = spark.tables;
    this.streams = new CollectedStreams(spark.spark, folder);
  }

  @Test
  void replacedTableStopsAStream() throws Exception {
    spark.execute("CREATE TABLE sr_replaced (id bigint, v string)");
    spark.execute("INSERT INTO sr_replaced VALUES (1, 'a')");
    streams.run(streams.read("sr_replaced"), "replaced");
    spark.execute("ALTER TABLE sr_replaced RENAME TO sr_renamed");
    spark.execute("INSERT INTO sr_renamed VALUES (3, 'c')");
    assertThat(streams.run(streams.read("sr_renamed"), "replaced")).containsExactly(List.of("3|c"));
    spark.execute("ALTER TABLE sr_renamed RENAME TO sr_replaced");
    spark.execute("CREATE OR REPLACE TABLE sr_replaced (id bigint, v string)");
    spark.execute("INSERT INTO sr_replaced VALUES (2, 'b')");

    assertThatThrownBy(() -> streams.run(streams.read("sr_replaced"), "replaced"))
        .hasStackTraceContaining("table s.sr_replaced is not the one any more that the stream");

    spark.execute("DROP TABLE sr_replaced");
    spark.execute("CREATE TABLE sr_replaced (id bigint, v string)");
    assertThatThrownBy(() -> streams.run(streams.read("sr_replaced"), "replaced"))
        .hasStackTraceContaining("start the stream anew");
  }

  @Test
  void tableThatWasMadeAnewWhileABatchWasUnderWayIsNotTakenForTheOldOne() throws Exception {
    for (String anew : List.of("CREATE TABLE", "CREATE OR REPLACE TABLE")) {
      boolean drops = anew.equals("CREATE TABLE");
      String table = drops ? "sr_anew" : "sr_anew_replaced";
      spark.execute("CREATE TABLE " + table + " (id bigint, v string)");
      spark.execute("INSERT INTO " + table + " VALUES (1, 'a')");
      streams.run(streams.read(table), table);
      spark.execute("INSERT INTO " + table + " VALUES (2, 'b')");
      streams.dieInBatch(1, streams.read(table), table);
      if (drops) {
        spark.execute("DROP TABLE " + table);
      }
      spark.execute(anew + " " + table + " (id bigint, v string)");
      spark.execute("INSERT INTO " + table + " VALUES (3, 'c')");

      assertThatThrownBy(() -> streams.run(streams.read(table), table))
          .as(anew)
          .hasStackTraceContaining("table s." + table + " is not the one any more that the stream");
      assertThat(streams.batches()).isEmpty();
    }
  }

  private void run(String table, String checkpoint) {
    try {
      streams.run(streams.read(table), checkpoint);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /// The statement's table is numbered on from what the old one was when the statement began.
  @Test
  void tableThatWasReadWhileAStatementReplacedItIsNotTakenForTheNewOne() throws Exception {
    tables.create("sr_overtaken", FreshReadTest.KEYED);
    tables.upsert("sr_overtaken", tables.row("sr_overtaken", 1L, "a"));
    tables.materialize("sr_overtaken");
    spark.whenRowsAreRead(
        () -> {
          tables.upsert("sr_overtaken", tables.row("sr_overtaken", 2L, "b"));
          tables.materialize("sr_overtaken");
          run("sr_overtaken", "overtaken");
        });
    spark.execute(
        "CREATE OR REPLACE TABLE sr_overtaken TBLPROPERTIES ('primary-key' = 'id')"
            + " AS SELECT id, when_read('c') AS v FROM range(3, 4, 1, 1)");
    assertThat(streams.batches()).containsExactly(List.of("1|a", "2|b"));
    spark.execute("INSERT INTO sr_overtaken VALUES (4, 'd')");

    assertThatThrownBy(() -> streams.run(streams.read("sr_overtaken"), "overtaken"))
        .hasStackTraceContaining("is not the one any more that the stream");
  }

  @Test
  void keyThatWasRenamedAfterTheSnapshotIsFoundInItsFiles() throws Exception {
    tables.create("sr_key", FreshReadTest.KEYED);
    tables.upsert("sr_key", tables.row("sr_key", 1L, "a"), tables.row("sr_key", 2L, "a"));
    tables.materialize("sr_key");
    tables.upsert("sr_key", tables.row("sr_key", 2L, "b"));
    streams.dieInBatch(0, streams.read("sr_key"), "key-restarted");
    spark.execute("ALTER TABLE sr_key RENAME COLUMN id TO nr");

    assertThat(streams.run(streams.read("sr_key"), "key-new"))
        .containsExactly(List.of("1|a", "2|b"));
    assertThat(streams.run(streams.read("sr_key"), "key-restarted"))
        .containsExactly(List.of("1|a", "2|b"));
  }

  @Test
  void addedColumnStopsAStreamThatGoesOnWithItWhenItIsStartedAgain() throws Exception {
    spark.execute("CREATE TABLE sr_columns (id bigint, v string)");
    spark.execute("INSERT INTO sr_columns VALUES (1, 'a')");
    StreamingQuery query =
        streams
            .collect(streams.read("sr_columns"), "columns")
            .trigger(Trigger.ProcessingTime(0))
            .start();
    query.processAllAvailable();
    spark.execute("INSERT INTO sr_columns VALUES (2, 'b')");
    query.processAllAvailable();
    spark.execute("ALTER TABLE sr_columns ADD COLUMN n int");
    spark.execute("INSERT INTO sr_columns VALUES (3, 'c', 7)");

    assertThatThrownBy(query::processAllAvailable)
        .hasStackTraceContaining("the columns of table s.sr_columns were changed");

    assertThat(streams.batches()).containsExactly(List.of("1|a"), List.of("2|b"));
    assertThat(streams.run(streams.read("sr_columns"), "columns"))
        .containsExactly(List.of("3|c|7"));
  }
}
