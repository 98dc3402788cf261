package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.parquet.RandomRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Streams deliver a table's contents and then its log, each row once.
@ExtendWith(SparkServer.Shared.class)
class StreamReadTest {
  private static final Schema KEYLESS = new Schema(FreshReadTest.KEYED.columns());

  private final SparkServer spark;
  private final TestTables tables;
  private final Path folder;
  private final CollectedStreams streams;

  StreamReadTest(SparkServer spark, @TempDir Path folder) {
    this.spark = spark;
    this.tables = spark.tables;
    this.folder = folder;
    this.streams = new CollectedStreams(spark.spark, folder);
  }

  private void create(String table, Schema schema) {
    tables.create(table, schema);
  }

  private void upsert(String table, String v, long... ids) {
    tables.upsert(table, LongStream.of(ids).mapToObj(id -> tables.row(table, id, v)).toList());
  }

  private Dataset<Row> changes(String table) {
    return streams.read(table, Map.of("readChanges", "true"));
  }

  @Test
  void contentsComeFirstAndThenTheLogAlsoAfterARestart() throws Exception {
    create("sr_restart", FreshReadTest.KEYED);
    upsert("sr_restart", "a", 1, 2, 3);
    tables.materialize("sr_restart");
    upsert("sr_restart", "b", 3, 4);

    List<List<String>> first = streams.run(streams.read("sr_restart"), "restart");
    List<List<String>> none = streams.run(streams.read("sr_restart"), "restart");
    upsert("sr_restart", "c", 1);
    upsert("sr_restart", "d", 1, 5);
    tables.materialize("sr_restart");
    List<List<String>> second = streams.run(streams.read("sr_restart"), "restart");

    assertThat(first).containsExactly(List.of("1|a", "2|a", "3|b", "4|b"));
    assertThat(none).isEmpty();
    assertThat(second).containsExactly(List.of("1|d", "5|d"));
  }

  @Test
  void tableIsReadByItsNameInACatalogToo() throws Exception {
    create("sr_named", FreshReadTest.KEYED);
    upsert("sr_named", "a", 1);
    tables.materialize("sr_named");
    upsert("sr_named", "b", 2);

    Dataset<Row> rows = spark.spark.readStream().table("icewal.s.sr_named");

    assertThat(streams.run(rows.selectExpr("v", "id", "_file"), "named"))
        .containsExactly(List.of("a|1|null", "b|2|null"));
    assertThatThrownBy(
            () ->
                streams.run(
                    spark
                        .spark
                        .readStream()
                        .option("readChanges", "true")
                        .table("icewal.s.sr_named"),
                    "named-changes"))
        .hasStackTraceContaining("readStream.format(\"icewal\").load(name)");
  }

  @Test
  void streamsOfSnapshotsAndOfTablesWithoutLogAreNotMistakenForThoseOfALog() {
    spark.execute("CREATE TABLE sr_plain (id bigint) TBLPROPERTIES ('format-version' = '2')");
    create("sr_versions", KEYLESS);

    assertThatThrownBy(() -> changes("sr_plain")).hasMessageContaining("it is not icewal's");
    assertThatThrownBy(() -> streams.read("sr_versions", Map.of("versionAsOf", "1")))
        .hasMessageContaining("has no time travel");
  }

  @Test
  void nothingIsLostOrRepeatedWhileRowsAreWrittenMaterializedAndTrimmed() throws Exception {
    create("sr_busy", KEYLESS);
    for (long id = 0; id < 20; id++) {
      upsert("sr_busy", "v", id);
    }
    tables.materialize("sr_busy");
    upsert("sr_busy", "v", 20);
    StreamingQuery query =
        streams
            .collect(streams.read("sr_busy", Map.of("maxRowsPerTrigger", "7")), "busy")
            .trigger(Trigger.ProcessingTime(0))
            .start();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread writer =
        new Thread(
            () -> {
              for (long id = 21; id < 120; id += 3) {
                upsert("sr_busy", "v", id, id + 1, id + 2);
                if (id % 5 == 0) {
                  tables.materialize("sr_busy");
                  tables.trim();
                }
              }
            });
    writer.setUncaughtExceptionHandler((thread, error) -> failure.set(error));

    writer.start();
    writer.join();
    query.processAllAvailable();
    query.stop();

    assertThat(failure.get()).isNull();
    assertThat(streams.batches().stream().flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, 120).mapToObj(id -> id + "|v").toList());
  }

  @Test
  void changesTellDeletesAndTruncates() throws Exception {
    create("sr_changes", FreshReadTest.KEYED);
    upsert("sr_changes", "a", 1, 2);
    tables.materialize("sr_changes");
    List<List<String>> contents = streams.run(changes("sr_changes"), "changes");
    tables.delete("sr_changes", tables.row("sr_changes", 1L));
    tables.mixed(
        "sr_changes",
        List.of(tables.row("sr_changes", 2L), tables.row("sr_changes", 3L, "b")),
        new byte[] {1, 0});
    upsert("sr_changes", "b", 1);
    List<List<String>> deletes = streams.run(changes("sr_changes"), "changes");
    upsert("sr_changes", "lost", 7);
    tables.truncate("sr_changes");
    upsert("sr_changes", "c", 8);
    List<List<String>> truncate = streams.run(changes("sr_changes"), "changes");

    assertThat(contents).containsExactly(List.of("1|a|upsert", "2|a|upsert"));
    assertThat(deletes).containsExactly(List.of("1|b|upsert", "2|null|delete", "3|b|upsert"));
    assertThat(truncate).containsExactly(List.of("8|c|upsert", "null|null|truncate"));
  }

  @Test
  void requiredColumnsOfDeletedRowsAreNull() throws Exception {
    spark.execute(
        "CREATE TABLE sr_required (v string NOT NULL, n int NOT NULL, id bigint)"
            + " TBLPROPERTIES ('primary-key' = 'id')");
    spark.execute("INSERT INTO sr_required VALUES ('a', 1, 1), ('b', 2, 2)");
    spark.execute("DELETE FROM sr_required WHERE id = 2");

    assertThat(streams.run(changes("sr_required"), "required"))
        .containsExactly(List.of("a|1|1|upsert"));
    spark.execute("DELETE FROM sr_required WHERE id = 1");
    assertThat(streams.run(changes("sr_required"), "required"))
        .containsExactly(List.of("null|null|1|delete"));
  }

  @Test
  void streamThatCannotTellOfDeletesFailsAtThem() throws Exception {
    create("sr_untold", FreshReadTest.KEYED);
    upsert("sr_untold", "a", 1, 2);
    streams.run(streams.read("sr_untold"), "untold");
    String deleted = tables.delete("sr_untold", tables.row("sr_untold", 1L)).toString();

    assertThatThrownBy(() -> streams.run(streams.read("sr_untold"), "untold"))
        .hasStackTraceContaining(
            "1 rows of table s.sr_untold were deleted, from position " + deleted + " on")
        .hasStackTraceContaining("readChanges");
    create("sr_emptied", FreshReadTest.KEYED);
    upsert("sr_emptied", "a", 1);
    tables.truncate("sr_emptied");
    upsert("sr_emptied", "b", 2);
    assertThat(streams.run(streams.read("sr_emptied"), "emptied")).containsExactly(List.of("2|b"));
    tables.truncate("sr_emptied");
    assertThatThrownBy(() -> streams.run(streams.read("sr_emptied"), "emptied"))
        .hasStackTraceContaining("was truncated");
  }

  @Test
  void rowsOfABatchAreLimitedByFilesAndSegments() throws Exception {
    create("sr_limit", KEYLESS);
    for (long id = 0; id < 6; id += 2) {
      upsert("sr_limit", "a", id, id + 1);
      tables.materialize("sr_limit");
    }
    upsert("sr_limit", "b", 6, 7, 8, 9, 10);
    Dataset<Row> rows = streams.read("sr_limit", Map.of("maxRowsPerTrigger", "4"));
    List<List<String>> limited = new ArrayList<>(streams.run(rows, "limited"));
    upsert("sr_limit", "b", 11, 12, 13);
    for (long id = 14; id < 19; id++) {
      upsert("sr_limit", "b", id);
    }
    limited.addAll(streams.run(rows, "limited"));

    assertThat(limited.stream().map(List::size)).containsExactly(4, 2, 5, 4, 4);
    assertThat(limited.stream().flatMap(List::stream)).hasSize(19).doesNotHaveDuplicates();
    assertThatThrownBy(
            () ->
                streams
                    .read("sr_limit", Map.of("maxRowsPerTrigger", "0"))
                    .writeStream()
                    .format("noop")
                    .option("checkpointLocation", folder.resolve("zero").toString())
                    .start()
                    .awaitTermination())
        .hasStackTraceContaining("maxRowsPerTrigger is '0', expected a number from 1");
  }

  @Test
  void streamBeginsAtTheEndOrAtAPosition() throws Exception {
    create("sr_start", KEYLESS);
    String position = tables.upsert("sr_start", tables.row("sr_start", 1L, "a")).toString();
    upsert("sr_start", "b", 2);
    Map<String, String> latest = Map.of("startingPosition", "latest");

    List<List<String>> none = streams.run(streams.read("sr_start", latest), "latest");
    upsert("sr_start", "c", 3);
    List<List<String>> next = streams.run(streams.read("sr_start", latest), "latest");
    List<List<String>> after =
        streams.run(streams.read("sr_start", Map.of("startingPosition", position)), "position");

    assertThat(none).isEmpty();
    assertThat(next).containsExactly(List.of("3|c"));
    assertThat(after).containsExactly(List.of("2|b", "3|c"));
    assertThatThrownBy(
            () -> streams.run(streams.read("sr_start", Map.of("startingPosition", "x")), "bad"))
        .hasStackTraceContaining("position");
    String later = position.substring(0, position.lastIndexOf('/')) + "/1000000";
    assertThatThrownBy(
            () -> streams.run(streams.read("sr_start", Map.of("startingPosition", later)), "later"))
        .hasStackTraceContaining("is none of table s.sr_start, whose log ends at");
  }

  @Test
  void streamOfTheSnapshotOfARangeOrOfABranchIsRefused() {
    create("sr_stale", FreshReadTest.KEYED);
    upsert("sr_stale", "a", 1);
    tables.materialize("sr_stale");
    String snapshot = Long.toString(tables.load("sr_stale").currentSnapshot().snapshotId());

    for (Map<String, String> options :
        List.of(Map.of("fresh", "false"), Map.of("start-snapshot-id", snapshot))) {
      assertIsNotOfTheLog(() -> streams.run(streams.read("sr_stale", options), "stale"));
      assertIsNotOfTheLog(
          () ->
              streams.run(
                  spark.spark.readStream().options(options).table("icewal.s.sr_stale"),
                  "stale-table"));
      Map<String, String> ofChanges = new HashMap<>(options);
      ofChanges.put("readChanges", "true");
      assertIsNotOfTheLog(() -> streams.run(streams.read("sr_stale", ofChanges), "stale-changes"));
    }
    // Others are refused by iceberg-spark, unless its extensions are there.
    Map<String, String> ofBranch = Map.of("branch", "side", "readChanges", "true");
    assertIsNotOfTheLog(() -> streams.run(streams.read("sr_stale", ofBranch), "side-changes"));
  }

  private static void assertIsNotOfTheLog(ThrowingCallable stream) {
    assertThatThrownBy(stream)
        .hasStackTraceContaining("a stream of table s.sr_stale has its contents and then its log");
  }

  @Test
  void twoQueriesOfOneFrameReadTheTableEachByItself() throws Exception {
    create("sr_twice", FreshReadTest.KEYED);
    upsert("sr_twice", "a", 1, 2);
    tables.materialize("sr_twice");
    upsert("sr_twice", "b", 3);
    Dataset<Row> rows = changes("sr_twice");

    StreamingQuery one = streams.collect(rows, "twice-one").start();
    StreamingQuery two = streams.collect(rows, "twice-two").start();
    one.awaitTermination();
    two.awaitTermination();

    List<String> contents = List.of("1|a|upsert", "2|a|upsert", "3|b|upsert");
    assertThat(streams.batches()).containsExactly(contents, contents);
  }

  @Test
  void valuesOfEveryTypeComeAsTheyAreFromFilesAndLog() throws Exception {
    RandomRows values = new RandomRows(5, TailTypesTest.PRIMITIVES);
    List<NestedField> columns = new ArrayList<>(values.schema(4, 3).columns());
    for (int i = 0; i < TailTypesTest.PRIMITIVES.size(); i++) {
      columns.add(NestedField.optional(700 + i, "p" + i, TailTypesTest.PRIMITIVES.get(i)));
    }
    columns.add(NestedField.required(900, "id", Types.LongType.get()));
    Schema schema = new Schema(columns, Set.of(900));
    create("sr_types", schema);
    create("sr_types_to", schema);
    List<Record> rows = values.records(tables.load("sr_types").schema(), 40);
    for (int i = 0; i < rows.size(); i++) {
      rows.get(i).setField("id", (long) i);
    }
    tables.upsert("sr_types", rows.subList(0, 20));
    tables.materialize("sr_types");
    tables.upsert("sr_types", rows.subList(20, 40));

    streams
        .read("sr_types")
        .writeStream()
        .option("checkpointLocation", folder.resolve("types").toString())
        .trigger(Trigger.AvailableNow())
        .toTable("icewal.s.sr_types_to")
        .awaitTermination();

    assertThat(spark.rows("SELECT * FROM sr_types_to"))
        .hasSize(40)
        .isEqualTo(spark.rows("SELECT * FROM sr_types"));
  }

  @Test
  void copyByAStreamEndsAsTheTableItself() throws Exception {
    create("sr_from", FreshReadTest.KEYED);
    create("sr_to", FreshReadTest.KEYED);
    SplittableRandom random = new SplittableRandom(4 + Long.getLong("icewal.seed", 0));
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < 12; i++) {
        change(random);
      }
      copy();

      assertThat(spark.rows("SELECT * FROM sr_to"))
          .as("round " + round)
          .isEqualTo(spark.rows("SELECT * FROM sr_from"));
    }
  }

  private void change(SplittableRandom random) {
    long id = random.nextLong(15);
    switch (random.nextInt(20)) {
      case 0 -> tables.truncate("sr_from");
      case 1, 2, 3, 4 -> tables.delete("sr_from", tables.row("sr_from", id));
      case 5, 6 -> {
        tables.materialize("sr_from");
        tables.trim();
      }
      default -> upsert("sr_from", "v" + random.nextInt(1000), id, id + 20);
    }
  }

  private void copy() throws Exception {
    streams
        .read("sr_from", Map.of("readChanges", "true", "maxRowsPerTrigger", "9"))
        .writeStream()
        .option("checkpointLocation", folder.resolve("copy").toString())
        .trigger(Trigger.AvailableNow())
        .foreachBatch(
            (Dataset<Row> batch, Long epoch) -> {
              batch.createOrReplaceTempView("changes");
              if (!batch.where("_op = 'truncate'").isEmpty()) {
                spark.execute("TRUNCATE TABLE icewal.s.sr_to");
              }
              batch
                  .sparkSession()
                  .sql(
                      "MERGE INTO icewal.s.sr_to t"
                          + " USING (SELECT * FROM changes WHERE _op <> 'truncate') c ON t.id = c.id"
                          + " WHEN MATCHED AND c._op = 'delete' THEN DELETE"
                          + " WHEN MATCHED THEN UPDATE SET v = c.v"
                          + " WHEN NOT MATCHED AND c._op = 'upsert' THEN"
                          + " INSERT (id, v) VALUES (c.id, c.v)");
            })
        .start()
        .awaitTermination();
  }
}
