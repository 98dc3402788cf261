package io.icewal.trino;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.data.Record;

/// Upserts that arrive four times a second, until closed: new versions of rows that the tail has
/// already, so that both tables of a [ReadBench] keep the same number of rows.
final class ArrivingRows implements AutoCloseable {
  private static final int BATCHES_PER_SECOND = 4;

  private final TestTables tables;
  private final String table;
  private final ReadBench.Sizes sizes;
  private final SplittableRandom random = new SplittableRandom(11);
  private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
  private final Future<?> running;

  private ArrivingRows(TestTables tables, String table, ReadBench.Sizes sizes) {
    this.tables = tables;
    this.table = table;
    this.sizes = sizes;
    this.running =
        executor.scheduleAtFixedRate(
            this::arrive, 0, 1000 / BATCHES_PER_SECOND, TimeUnit.MILLISECONDS);
  }

  /// Nothing else may use the tables meanwhile.
  static ArrivingRows start(TestTables tables, String table, ReadBench.Sizes sizes) {
    return new ArrivingRows(tables, table, sizes);
  }

  private void arrive() {
    long step = sizes.baseRows() / sizes.tailRows();
    Record any = tables.row(table);
    List<Record> rows = new ArrayList<>();
    for (int i = 0; i < sizes.rowsPerSecond() / BATCHES_PER_SECOND; i++) {
      long id = random.nextLong(sizes.tailRows()) * step;
      Record row = any.copy();
      row.set(0, id);
      row.set(1, "customer-" + id % 1000);
      row.set(2, "city-" + id % 100_003);
      row.set(3, Long.toHexString(random.nextLong()));
      row.set(4, id / 7.0);
      row.set(5, id / 3.0);
      row.set(6, random.nextDouble());
      row.set(
          7,
          OffsetDateTime.ofInstant(
              java.time.Instant.ofEpochSecond(1_700_000_000 + id), ZoneOffset.UTC));
      rows.add(row);
    }
    tables.upsert(table, rows);
  }

  /// @throws ExecutionException if rows could not be written
  @Override
  public void close() throws ExecutionException, InterruptedException {
    running.cancel(false);
    executor.shutdown();
    executor.awaitTermination(1, TimeUnit.MINUTES);
    if (!running.isCancelled()) {
      running.get();
    }
  }
}
