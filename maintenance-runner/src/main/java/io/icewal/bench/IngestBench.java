package io.icewal.bench;

import io.icewal.client.IcewalClient;
import io.icewal.client.PutStream;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.catalog.TableIdentifier;

/// Rows a CPU second from a client into a durable log, beside the same rows into a Flight server
/// that discards them. Client and server share the process, for both alike. What goes before the
/// measured rounds is long enough for the compiler to have nothing left to do.
public final class IngestBench {
  /// The rates are medians of the rounds, the seconds their sums.
  ///
  /// @param ratio icewal's rows a CPU second over the bare server's
  public record Result(
      long rows,
      long rowsPerCpuSecond,
      long bareRowsPerCpuSecond,
      double ratio,
      double cpuSeconds,
      double bareCpuSeconds,
      double wallSeconds,
      double bareWallSeconds) {}

  /// Short rounds of both servers in turn, so that a slow minute of the machine meets both, and a
  /// slow moment no median.
  private static final int ROUNDS = 16;

  /// Distinct batches, sent again and again under new numbers.
  private static final int BATCHES = 10;

  private final long rows;
  private final long warmRows;
  private final int batchRows;

  /// @param rows measured rows for each server
  /// @param warmRows rows before that
  public IngestBench(long rows, long warmRows, int batchRows) {
    this.rows = rows;
    this.warmRows = warmRows;
    this.batchRows = batchRows;
  }

  public Result run() throws IOException, InterruptedException {
    try (BenchWarehouse warehouse = new BenchWarehouse();
        BufferAllocator allocator =
            warehouse.allocator().newChildAllocator("bench", 0, Long.MAX_VALUE);
        BareServer bare = new BareServer(allocator);
        IcewalClient bareClient = IcewalClient.connect(bare.uri(), allocator)) {
      warehouse.create("ingest");
      List<VectorSchemaRoot> batches = new ArrayList<>();
      try {
        BenchRows source = new BenchRows(1, allocator);
        long[] number = new long[1];
        for (int i = 0; i < BATCHES; i++) {
          batches.add(source.batch(batchRows, () -> BenchRows.key(number[0]++)));
        }
        return measure(warehouse.client(), bareClient, source, batches);
      } finally {
        batches.forEach(VectorSchemaRoot::close);
      }
    }
  }

  private Result measure(
      IcewalClient client,
      IcewalClient bareClient,
      BenchRows source,
      List<VectorSchemaRoot> batches) {
    put(bareClient, source, batches, warmRows);
    put(client, source, batches, warmRows);
    Rounds icewal = new Rounds();
    Rounds bare = new Rounds();
    for (int round = 0; round < ROUNDS; round++) {
      bare.time(() -> put(bareClient, source, batches, rows / ROUNDS));
      icewal.time(() -> put(client, source, batches, rows / ROUNDS));
    }
    return new Result(
        icewal.rows,
        icewal.medianRate(),
        bare.medianRate(),
        Math.round(1000.0 * icewal.medianRate() / bare.medianRate()) / 1000.0,
        icewal.cpuSeconds,
        bare.cpuSeconds,
        icewal.wallSeconds,
        bare.wallSeconds);
  }

  /// The rounds of one server.
  private static final class Rounds {
    final List<Long> rates = new ArrayList<>();
    long rows;
    double cpuSeconds;
    double wallSeconds;

    void time(LongSupplier put) {
      CpuTimer timer = new CpuTimer();
      timer.start();
      long sent = put.getAsLong();
      timer.stop();
      rows += sent;
      rates.add(timer.perCpuSecond(sent));
      cpuSeconds += timer.cpuSeconds();
      wallSeconds += timer.wallSeconds();
    }

    long medianRate() {
      List<Long> sorted = rates.stream().sorted().toList();
      return (sorted.get((ROUNDS - 1) / 2) + sorted.get(ROUNDS / 2)) / 2;
    }
  }

  /// Sends at least so many rows and waits for all answers.
  private long put(
      IcewalClient client, BenchRows source, List<VectorSchemaRoot> batches, long wanted) {
    PutRequest request = PutRequest.of(TableIdentifier.of("bench", "ingest"));
    List<CompletableFuture<PutAnswer>> answers = new ArrayList<>();
    long sent = 0;
    try (PutStream stream = client.put(request, BenchRows.arrowSchema())) {
      while (sent < wanted) {
        try (VectorSchemaRoot batch = source.share(batches.get(answers.size() % batches.size()))) {
          answers.add(stream.send(batch));
        }
        sent += batchRows;
      }
    }
    for (CompletableFuture<PutAnswer> answer : answers) {
      if (answer.join().rows() != batchRows) {
        throw new IcewalException(
            ErrorKind.INTERNAL, "a batch of " + batchRows + " rows was answered " + answer.join());
      }
    }
    return sent;
  }
}
