package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.config.IcewalConfig;
import io.icewal.model.LogName;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.wal.LogRoot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Streams that were stopped while their log went on, in a warehouse of three logs.
@ExtendWith(SparkServer.Shared.class)
class StreamOfTrimmedLogTest {
  @TempDir private static Path warehouse;
  private static TestTables tables;
  private static ObjectStore store;
  private static LogRoot root;

  private final SparkSession spark;
  @TempDir private Path folder;

  StreamOfTrimmedLogTest(SparkServer server) {
    this.spark = server.spark;
    spark.conf().set("spark.sql.catalog.threelogs", IcewalCatalog.class.getName());
    spark.conf().set("spark.sql.catalog.threelogs.data", warehouse.toString());
  }

  @BeforeAll
  static void open() {
    store = IcewalConfig.embedded(warehouse).openLogStore();
    root = LogRoot.openOrCreate(store, 3, new SplittableRandom(11));
    tables = new TestTables(warehouse);
  }

  @AfterAll
  static void close() {
    tables.close();
    store.close();
  }

  private LogName log(String table) {
    return root.logOf(tables.load(table).uuid());
  }

  private void upsert(String table, long... ids) {
    for (long id : ids) {
      tables.upsert(table, tables.row(table, id, "v"));
    }
  }

  private List<String> run(String table) throws Exception {
    return run(table, Long.MAX_VALUE);
  }

  /// @param dies the batch in which it does
  private List<String> run(String table, long dies) throws Exception {
    List<String> rows = new ArrayList<>();
    spark
        .readStream()
        .format("icewal")
        .option("maxRowsPerTrigger", 1)
        .load("threelogs.s." + table)
        .writeStream()
        .option("checkpointLocation", folder.resolve(table).toString())
        .trigger(Trigger.AvailableNow())
        .foreachBatch(
            (Dataset<Row> batch, Long epoch) -> {
              if (epoch == dies) {
                throw new IllegalStateException("dies");
              }
              rows.addAll(SparkServer.rows(batch));
            })
        .start()
        .awaitTermination();
    return rows;
  }

  /// As a trimmer does when the grace is over.
  private void deleteSegments(LogName log) {
    String prefix = "1/log-" + log.log() + "/segments/";
    store.delete(store.list(prefix, "", 1000).stream().map(ObjectMeta::key).toList());
  }

  @Test
  void everyTableIsFollowedInItsOwnLog() throws Exception {
    Set<LogName> logs = new HashSet<>();
    for (int i = 0; logs.size() < 3; i++) {
      String table = "own" + i;
      tables.create(table, FreshReadTest.KEYED);
      upsert(table, i);
      logs.add(log(table));

      assertThat(run(table)).containsExactly(i + "|v");
      upsert(table, i + 100);
      assertThat(run(table)).containsExactly(i + 100 + "|v");
      tables.materialize(table);
    }
  }

  @Test
  void trimmedSegmentsAreReadAsLongAsTheyAreThere() throws Exception {
    tables.create("stopped", FreshReadTest.KEYED);
    upsert("stopped", 1);
    run("stopped");
    upsert("stopped", 2, 3);
    tables.materialize("stopped");
    tables.trim();
    upsert("stopped", 4);
    tables.materialize("stopped");
    tables.trim();
    upsert("stopped", 5);

    assertThat(run("stopped")).containsExactlyInAnyOrder("2|v", "3|v", "4|v", "5|v");
    tables.materialize("stopped");
  }

  @Test
  void streamWhosePositionIsGoneFromTheLogFails() throws Exception {
    tables.create("gone", FreshReadTest.KEYED);
    upsert("gone", 1);
    run("gone");
    upsert("gone", 2);
    tables.materialize("gone");
    tables.trim();
    deleteSegments(log("gone"));
    upsert("gone", 3);

    assertThatThrownBy(() -> run("gone"))
        .hasStackTraceContaining("is no longer in the log: it is trimmed up to")
        .hasStackTraceContaining("log.grace");
    tables.materialize("gone");
  }

  /// @return the name of a table in the same log
  private String neighbour(String table, String prefix) {
    String other = prefix + 0;
    tables.create(other, FreshReadTest.KEYED);
    for (int i = 1; !log(other).equals(log(table)); i++) {
      other = prefix + i;
      tables.create(other, FreshReadTest.KEYED);
    }
    return other;
  }

  @Test
  void contentsOfATableThatWasIdleAreReadAgainAfterARestart() throws Exception {
    tables.create("waking", FreshReadTest.KEYED);
    upsert("waking", 1);
    tables.materialize("waking");
    String other = neighbour("waking", "busy");
    upsert(other, 1, 2, 3);
    tables.materialize(other);
    tables.trim();
    deleteSegments(log("waking"));
    upsert("waking", 2);
    assertThatThrownBy(() -> run("waking", 1)).hasStackTraceContaining("dies");
    tables.materialize("waking");

    assertThatThrownBy(() -> run("waking", 1)).hasStackTraceContaining("dies");
    tables.trim();
    upsert("waking", 3);

    assertThat(run("waking")).containsExactly("2|v", "3|v");
    tables.materialize("waking");
  }

  @Test
  void contentsWithParkedRowsAreReadAgainAfterARestart() throws Exception {
    tables.create("parked", FreshReadTest.KEYED);
    upsert("parked", 1);
    tables.materialize("parked");
    String other = neighbour("parked", "beside");
    upsert(other, 1);
    upsert("parked", 2);
    upsert(other, 2);
    tables.materialize(other);
    tables.trim("parked");
    deleteSegments(log("parked"));
    upsert("parked", 3);

    assertThatThrownBy(() -> run("parked", 1)).hasStackTraceContaining("dies");
    upsert("parked", 4);

    assertThat(run("parked")).containsExactly("2|v", "3|v", "4|v");
    tables.materialize("parked");
  }

  @Test
  void idleTableLosesNothingWhenRowsOfOthersAreGone() throws Exception {
    tables.create("idle", FreshReadTest.KEYED);
    upsert("idle", 1);
    tables.materialize("idle");
    run("idle");
    String other = neighbour("idle", "other");
    upsert(other, 1, 2, 3);
    tables.materialize(other);
    tables.trim();
    deleteSegments(log("idle"));
    upsert("idle", 2);

    assertThat(run("idle")).containsExactly("2|v");
    tables.materialize("idle");
  }
}
