package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.model.IcewalException;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Each epoch of a stream is written once, whatever is restarted.
@ExtendWith(SparkServer.Shared.class)
class StreamWriteTest {
  private static final long FIRST_MILLIS = 1_700_000_000_000L;

  private final SparkServer spark;
  private final TestTables tables;
  @TempDir private Path folder;
  private int files;

  StreamWriteTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  /// A stream of rows (id, v), one epoch for each file.
  private Dataset<Row> input(String name) throws IOException {
    Files.createDirectories(folder.resolve(name));
    return spark
        .spark
        .readStream()
        .schema("id long, v string")
        .option("maxFilesPerTrigger", 1)
        .option("recursiveFileLookup", true)
        .json(folder.resolve(name).toString());
  }

  private void arrive(String name, String... rows) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String row : rows) {
      String[] parts = row.split("\\|", -1);
      lines.add("{\"id\":%s,\"v\":\"%s\"}".formatted(parts[0], parts[1]));
    }
    Path file = folder.resolve("file" + files);
    Files.write(file, lines);
    // Spark takes files by their times: of one millisecond in any order.
    Files.setLastModifiedTime(file, FileTime.fromMillis(FIRST_MILLIS + files * 1000L));
    Files.move(file, Files.createDirectories(folder.resolve(name)).resolve("f" + files++));
  }

  private DataStreamWriter<Row> to(String checkpoint, Dataset<Row> rows) {
    return rows.writeStream()
        .format("icewal")
        .option("checkpointLocation", checkpoint(checkpoint).toString())
        .trigger(Trigger.AvailableNow());
  }

  private Path checkpoint(String name) {
    return folder.resolve("checkpoint-" + name);
  }

  private void run(DataStreamWriter<Row> stream, String table)
      throws StreamingQueryException, TimeoutException {
    stream.toTable("icewal.s." + table).awaitTermination();
  }

  private void forgetCommit(String checkpoint, int epoch) throws IOException {
    Path commits = checkpoint(checkpoint).resolve("commits");
    assertThat(commits.resolve(Integer.toString(epoch))).exists();
    Files.delete(commits.resolve(Integer.toString(epoch)));
    Files.deleteIfExists(commits.resolve("." + epoch + ".crc"));
  }

  @Test
  void replayedEpochIsWrittenOnceAlsoIfTheLogIsMaterializedMeanwhile() throws Exception {
    spark.execute("CREATE TABLE st_once (v string, id bigint)");
    arrive("once", "1|a", "2|b");
    arrive("once", "3|c");
    run(to("once", input("once")), "st_once");
    List<String> twoEpochs = spark.rows("SELECT id, v FROM st_once");

    forgetCommit("once", 1);
    run(to("once", input("once")), "st_once");
    List<String> replayed = spark.rows("SELECT id, v FROM st_once");
    tables.materialize("st_once");
    tables.trim();
    forgetCommit("once", 1);
    arrive("once", "4|d");
    run(to("once", input("once")), "st_once");

    assertThat(twoEpochs).containsExactly("1|a", "2|b", "3|c");
    assertThat(replayed).isEqualTo(twoEpochs);
    assertThat(spark.rows("SELECT id, v FROM st_once")).containsExactly("1|a", "2|b", "3|c", "4|d");
  }

  @Test
  void epochOfADriverThatDiedBeforeItCouldSayThatItPublishedIsWrittenOnce() throws Exception {
    spark.execute("CREATE TABLE st_died (id bigint, v string)");
    arrive("died", "1|a", "2|b");
    spark.logFaults.before(
        StoreOp.PUT_IF_ABSENT,
        key -> key.contains("/segments/"),
        () ->
            spark.logFaults.script(
                StoreOp.PUT, key -> key.contains("/streams/"), Toxic.FAIL_BEFORE));

    assertThatThrownBy(() -> run(to("died", input("died")), "st_died"))
        .isInstanceOf(StreamingQueryException.class);
    List<String> published = spark.rows("SELECT * FROM st_died");
    run(to("died", input("died")), "st_died");

    assertThat(published).containsExactly("1|a", "2|b");
    assertThat(spark.rows("SELECT * FROM st_died")).containsExactly("1|a", "2|b");
  }

  @Test
  void streamThatIsStartedByFormatUpsertsByKey() throws Exception {
    spark.execute(
        "CREATE TABLE st_keyed (id bigint, v string) TBLPROPERTIES ('primary-key' = 'id')");
    arrive("keyed", "1|a", "2|b");
    arrive("keyed", "2|c", "3|d");

    to("keyed", input("keyed")).start("s.st_keyed").awaitTermination();

    assertThat(spark.rows("SELECT * FROM st_keyed")).containsExactly("1|a", "2|c", "3|d");
  }

  @Test
  void updateModeUpsertsGroupsIntoATableOfTheirKey() throws Exception {
    spark.execute(
        "CREATE TABLE st_counts (v string, n bigint) TBLPROPERTIES ('primary-key' = 'v')");
    spark.execute("CREATE TABLE st_keyless (v string, n bigint)");
    arrive("counts", "1|a", "2|b", "3|a");
    arrive("counts", "4|a");
    Dataset<Row> counts = input("counts").groupBy("v").count().withColumnRenamed("count", "n");

    run(to("counts", counts).outputMode("update"), "st_counts");

    assertThat(spark.rows("SELECT * FROM st_counts")).containsExactly("a|3", "b|1");
    assertThatThrownBy(() -> run(to("keyless", counts).outputMode("update"), "st_keyless"))
        .hasStackTraceContaining("does not support Update mode");
  }

  @Test
  void completeModeHasTheRowsOfTheNewestEpochAlone() throws Exception {
    spark.execute("CREATE TABLE st_complete (v string, n bigint)");
    spark.execute("INSERT INTO st_complete VALUES ('old', 0)");
    arrive("complete", "1|a", "2|b", "3|a");
    arrive("complete", "4|a");
    Dataset<Row> counts = input("complete").groupBy("v").count().withColumnRenamed("count", "n");

    run(to("complete", counts).outputMode("complete"), "st_complete");
    forgetCommit("complete", 1);
    run(to("complete", counts).outputMode("complete"), "st_complete");

    assertThat(spark.rows("SELECT * FROM st_complete")).containsExactly("a|3", "b|1");
  }

  @Test
  void twoStreamsIntoOneTableDoNotTouchEachOther() throws Exception {
    spark.execute("CREATE TABLE st_two (id bigint, v string)");
    arrive("one", "1|a");
    arrive("two", "1|a");
    arrive("two", "2|b");

    StreamingQuery one = to("one", input("one")).toTable("icewal.s.st_two");
    StreamingQuery two = to("two", input("two")).toTable("icewal.s.st_two");
    one.awaitTermination();
    two.awaitTermination();
    forgetCommit("two", 1);
    run(to("two", input("two")), "st_two");

    assertThat(spark.rows("SELECT * FROM st_two")).containsExactly("1|a", "1|a", "2|b");
  }

  @Test
  void refusedRowFailsItsEpochByRowColumnAndRule() throws Exception {
    spark.execute(
        "CREATE TABLE st_refused (id bigint, v string NOT NULL)"
            + " TBLPROPERTIES ('primary-key' = 'id')");
    arrive("refused", "1|a");
    arrive("refused", "2|b", "3|bad");
    Dataset<Row> rows = input("refused").selectExpr("id", "nullif(v, 'bad') AS v");

    assertThatThrownBy(() -> run(to("refused", rows), "st_refused"))
        .hasStackTraceContaining("row (id = 3), column v, rule not-null");

    assertThat(spark.rows("SELECT * FROM st_refused")).containsExactly("1|a");
  }

  @Test
  void columnsAreTakenByNameAndNeitherCastNorLeftOut() throws Exception {
    spark.execute("CREATE TABLE st_columns (V string, ID bigint)");
    arrive("columns", "1|a");
    Dataset<Row> rows = input("columns");

    run(to("columns", rows), "st_columns");

    assertThat(spark.rows("SELECT id, v FROM st_columns")).containsExactly("1|a");
    assertThatThrownBy(
            () -> run(to("int", rows.selectExpr("cast(id AS int) AS id", "v")), "st_columns"))
        .hasStackTraceContaining("column ID of a stream for table s.st_columns is INT")
        .hasStackTraceContaining("expected BIGINT: cast it");
    assertThatThrownBy(() -> run(to("few", rows.select("id")), "st_columns"))
        .hasStackTraceContaining("have columns [id], expected [V, ID]");
  }

  @Test
  void droppedTableStopsAStream() throws Exception {
    spark.execute("CREATE TABLE st_dropped (id bigint, v string)");
    arrive("dropped", "1|a");
    Dataset<Row> rows = input("dropped");

    StreamingQuery query =
        to("dropped", rows).trigger(Trigger.ProcessingTime(0)).toTable("icewal.s.st_dropped");
    query.processAllAvailable();
    spark.execute("DROP TABLE st_dropped");
    arrive("dropped", "2|b");

    assertThatThrownBy(query::processAllAvailable)
        .hasRootCauseInstanceOf(IcewalException.class)
        .hasStackTraceContaining("was dropped");
  }

  @Test
  void rowsOfForeachBatchAreWrittenAsBatches() throws Exception {
    spark.execute(
        "CREATE TABLE st_each (id bigint, v string) TBLPROPERTIES ('primary-key' = 'id')");
    arrive("each", "1|a", "2|b");
    arrive("each", "2|c");

    input("each")
        .writeStream()
        .option("checkpointLocation", checkpoint("each").toString())
        .trigger(Trigger.AvailableNow())
        .foreachBatch(
            (Dataset<Row> rows, Long epoch) -> {
              rows.createOrReplaceTempView("changes");
              rows.sparkSession()
                  .sql(
                      "MERGE INTO icewal.s.st_each t USING changes c ON t.id = c.id"
                          + " WHEN MATCHED THEN UPDATE SET v = concat(t.v, c.v)"
                          + " WHEN NOT MATCHED THEN INSERT *");
            })
        .start()
        .awaitTermination();

    assertThat(spark.rows("SELECT * FROM st_each")).containsExactly("1|a", "2|bc");
  }
}
