package io.icewal.trino;

import io.icewal.sql.BenchTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.iceberg.data.Record;
import org.jspecify.annotations.Nullable;

/// A process that upserts rows four times a second until it is closed: new versions of rows that
/// the tail has already, so that both tables of a [TrinoBench] keep the same number of rows. In a
/// process of its own, so that what writing costs is not taken for what reading costs.
final class ArrivingRows implements AutoCloseable {
  private static final int BATCHES_PER_SECOND = 4;

  /// What arrived in all.
  ///
  /// @param cpu of the process that wrote the rows
  record Arrived(long rows, Duration time, Duration cpu) {}

  private final Process process;
  private final long start = System.nanoTime();
  private @Nullable Arrived arrived;

  private ArrivingRows(Process process) {
    this.process = process;
  }

  /// Nothing else may write into the table meanwhile.
  static ArrivingRows start(Path folder, BenchTables.Sizes sizes, int rowsPerSecond)
      throws IOException {
    return new ArrivingRows(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                ArrivingRows.class.getName(),
                folder.toString(),
                Long.toString(sizes.tailRows()),
                Long.toString(sizes.step()),
                Integer.toString(rowsPerSecond))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /// Ends the process.
  ///
  /// @throws IllegalStateException if it could not write rows
  @Override
  public void close() throws IOException, InterruptedException {
    Duration cpu = process.info().totalCpuDuration().orElse(Duration.ZERO);
    process.getOutputStream().close();
    String rows = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IllegalStateException("the process that puts rows into the log failed");
    }
    arrived =
        new Arrived(Long.parseLong(rows.strip()), Duration.ofNanos(System.nanoTime() - start), cpu);
  }

  /// What arrived until this was closed.
  Arrived arrived() {
    Arrived known = arrived;
    if (known == null) {
      throw new IllegalStateException("rows still arrive");
    }
    return known;
  }

  /// The process itself. Ends when its input does.
  public static void main(String[] arguments) throws Exception {
    Logger.getLogger("").setLevel(Level.WARNING);
    long tailRows = Long.parseLong(arguments[1]);
    long step = Long.parseLong(arguments[2]);
    int batchRows = Integer.parseInt(arguments[3]) / BATCHES_PER_SECOND;
    SplittableRandom random = new SplittableRandom(11);
    long rows = 0;
    Thread waiting = Thread.ofPlatform().daemon().start(ArrivingRows::awaitEndOfInput);
    try (TestTables tables = new TestTables(Path.of(arguments[0]))) {
      long period = TimeUnit.SECONDS.toNanos(1) / BATCHES_PER_SECOND;
      long next = System.nanoTime();
      while (waiting.isAlive()) {
        if (batchRows > 0) {
          tables.upsert(BenchTables.FRESH, batch(tables, random, tailRows, step, batchRows));
          rows += batchRows;
        }
        next += period;
        waiting.join(Duration.ofNanos(Math.max(1, next - System.nanoTime())));
      }
    }
    System.out.println(rows);
    System.exit(0);
  }

  private static void awaitEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        continue;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Record> batch(
      TestTables tables, SplittableRandom random, long tailRows, long step, int batchRows) {
    Record any = tables.row(BenchTables.FRESH);
    List<Record> rows = new ArrayList<>();
    for (int i = 0; i < batchRows; i++) {
      long id = random.nextLong(tailRows) * step;
      Record row = any.copy();
      row.set(0, id);
      row.set(1, "customer-" + id % 1000);
      row.set(2, "city-" + id % 100_003);
      row.set(3, Long.toHexString(random.nextLong()));
      row.set(4, id / 7.0);
      row.set(5, id / 3.0);
      row.set(6, random.nextDouble());
      row.set(
          7, OffsetDateTime.ofInstant(Instant.ofEpochSecond(1_700_000_000 + id), ZoneOffset.UTC));
      rows.add(row);
    }
    return rows;
  }
}
