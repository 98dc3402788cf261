package io.icewal.bench;

import io.icewal.client.PutStream;
import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.TableDescription;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/// Rows a CPU second from the log into the table, lineage included: first new keys, then upserts of
/// which half replace a row. Each batch is made durable first and materialized alone, in one
/// commit; only the materialization is measured.
public final class MaterializeBench {
  public record Result(
      long insertRows,
      long insertRowsPerCpuSecond,
      double insertCpuSeconds,
      double insertWallSeconds,
      long upsertRows,
      long upsertRowsPerCpuSecond,
      double upsertCpuSeconds,
      double upsertWallSeconds) {}

  /// How much of a batch goes over the wire at once.
  private static final int PUT_ROWS = 20_000;

  private final long insertRows;
  private final long upsertRows;
  private final long warmRows;
  private final int batchRows;

  /// @param warmRows rows that go into another table first, half as many upserts after them
  public MaterializeBench(long insertRows, long upsertRows, long warmRows, int batchRows) {
    this.insertRows = insertRows;
    this.upsertRows = upsertRows;
    this.warmRows = warmRows;
    this.batchRows = batchRows;
  }

  public Result run() throws IOException {
    try (BenchWarehouse warehouse = new BenchWarehouse();
        BufferAllocator allocator =
            warehouse.allocator().newChildAllocator("bench", 0, Long.MAX_VALUE)) {
      BenchRows source = new BenchRows(2, allocator);
      if (warmRows > 0) {
        TableDescription warm = warehouse.create("warm");
        load(warehouse, source, warm, warmRows, inserts());
        load(warehouse, source, warm, warmRows / 2, upserts(warmRows));
      }
      TableDescription table = warehouse.create("measured");
      CpuTimer insert = load(warehouse, source, table, insertRows, inserts());
      CpuTimer upsert = load(warehouse, source, table, upsertRows, upserts(insertRows));
      return new Result(
          insertRows,
          insert.perCpuSecond(insertRows),
          insert.cpuSeconds(),
          insert.wallSeconds(),
          upsertRows,
          upsert.perCpuSecond(upsertRows),
          upsert.cpuSeconds(),
          upsert.wallSeconds());
    }
  }

  private static LongSupplier inserts() {
    long[] number = new long[1];
    return () -> BenchRows.key(number[0]++);
  }

  /// Every other row has one of the first `existing` keys, the others are new.
  private static LongSupplier upserts(long existing) {
    SplittableRandom random = new SplittableRandom(3);
    long[] count = new long[1];
    return () ->
        BenchRows.key(count[0]++ % 2 == 0 ? random.nextLong(existing) : existing + count[0]);
  }

  private CpuTimer load(
      BenchWarehouse warehouse,
      BenchRows source,
      TableDescription table,
      long rows,
      LongSupplier keys) {
    CpuTimer timer = new CpuTimer();
    Materializer materializer = warehouse.get(Materializer.class);
    try (PutStream stream =
        warehouse.client().put(PutRequest.of(table.table()), BenchRows.arrowSchema())) {
      for (long done = 0; done < rows; done += batchRows) {
        int batch = (int) Math.min(batchRows, rows - done);
        put(stream, source, batch, keys);
        timer.start();
        materialize(materializer, table, batch);
        timer.stop();
      }
    }
    return timer;
  }

  private static void put(PutStream stream, BenchRows source, int rows, LongSupplier keys) {
    for (int done = 0; done < rows; done += PUT_ROWS) {
      try (VectorSchemaRoot batch = source.batch(Math.min(PUT_ROWS, rows - done), keys)) {
        stream.send(batch);
      }
    }
    stream.awaitAnswers();
  }

  private static void materialize(Materializer materializer, TableDescription table, long rows) {
    long done = 0;
    while (done < rows) {
      MaterializeResult result = materializer.step(table.table(), table.uuid());
      if (result.status() != MaterializeResult.Status.COMMITTED) {
        throw new IcewalException(
            ErrorKind.INTERNAL, done + " of " + rows + " rows materialized, then " + result);
      }
      done += result.rows();
    }
  }
}
