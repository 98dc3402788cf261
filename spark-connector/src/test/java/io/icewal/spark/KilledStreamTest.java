package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import io.icewal.TestTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.Schema;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Drivers of a stream that are really killed, while the tables that it reads and writes go on.
@Tag("long")
@ExtendWith(SparkServer.Shared.class)
class KilledStreamTest {
  /// Before which of its writes each driver dies. A new epoch has three: it is marked as begun,
  /// appended, marked as published; one that is found in the log is not appended. So the first
  /// epoch is begun only, then appended and not marked; then the second one.
  private static final List<Integer> DEATHS = List.of(2, 3, 4, 3);

  private static final int ROWS_LATER = 8;

  private final SparkServer server;
  @TempDir private Path folder;
  private long rows;

  KilledStreamTest(SparkServer server) {
    this.server = server;
  }

  private JavaProcess driver(int diesBefore) {
    return JavaProcess.start(
        folder.resolve("output"),
        List.of("-Xmx1g", "-XX:TieredStopAtLevel=1"),
        StreamDriver.class.getName(),
        folder.resolve("warehouse").toString(),
        folder.resolve("checkpoint").toString(),
        Integer.toString(diesBefore));
  }

  private void runUntilItDiesBefore(int write) {
    try (JavaProcess driver = driver(write)) {
      assertThat(driver.awaitEnd()).as("%s", driver.lines()).isEqualTo(StreamDriver.KILLED);
    }
  }

  private void runToTheEnd() {
    try (JavaProcess driver = driver(0)) {
      assertThat(driver.awaitEnd()).as("%s", driver.lines()).isZero();
    }
  }

  /// As soon as it has committed an epoch more, and is in the middle of the next one.
  private void killOnItsWay() {
    long before = commits();
    try (JavaProcess driver = driver(0)) {
      driver.awaitUntil(() -> commits() > before + 1);
      driver.kill();
    }
  }

  private long commits() {
    Path commits = folder.resolve("checkpoint/commits");
    if (!Files.exists(commits)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(commits)) {
      return files.filter(file -> !file.getFileName().toString().startsWith(".")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void arrive(TestTables tables, int count) {
    for (int i = 0; i < count; i++) {
      tables.upsert("from", tables.row("from", rows, "v" + rows));
      rows++;
    }
  }

  private List<String> oracle() {
    return LongStream.range(0, rows).mapToObj(id -> id + "|v" + id + "|1").sorted().toList();
  }

  @Test
  void killedDriversWriteEachRowOnce() throws Exception {
    Path warehouse = Files.createDirectories(folder.resolve("warehouse"));
    try (TestTables tables = new TestTables(warehouse)) {
      Schema keyless = new Schema(FreshReadTest.KEYED.columns());
      tables.create("from", keyless);
      tables.create("to", keyless);
      arrive(tables, 2);
      tables.materialize("from");
      arrive(tables, 2);
      for (int write : DEATHS) {
        runUntilItDiesBefore(write);
        arrive(tables, 1);
        tables.materialize("from");
        tables.materialize("to");
        tables.trim();
      }
      arrive(tables, ROWS_LATER);
      killOnItsWay();
      runToTheEnd();
    }

    server.spark.conf().set("spark.sql.catalog.killed", IcewalCatalog.class.getName());
    server.spark.conf().set("spark.sql.catalog.killed.data", warehouse.toString());
    assertThat(server.rows("SELECT id, v, count(*) FROM killed.s.to GROUP BY id, v"))
        .isEqualTo(oracle());
  }
}
