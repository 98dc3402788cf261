package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.client.PutStream;
import io.icewal.client.RowStream;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import io.icewal.protocol.ReadRequest;
import io.icewal.storage.LocalObjectStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bulk loads by parallel streams lose no chunk, run after run.
class BulkTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              Field.notNullable("id", new ArrowType.Int(64, true)),
              Field.notNullable("h", new ArrowType.Int(64, true))));

  private static final int STREAMS = 8;
  private static final int BATCH_ROWS = 12_500;

  @TempDir Path folder;

  @Test
  void b019_parallelStreamsLoseNoChunk() throws Exception {
    load(2, 400_000);
  }

  @Test
  @Tag("long")
  void b019_tenMillionRowsAreWholeInEachOfTwentyRuns() throws Exception {
    load(20, 10_000_000);
  }

  private void load(int runs, int rows) throws Exception {
    for (int run = 0; run < runs; run++) {
      Path own = folder.resolve("run-" + run);
      LocalObjectStore store = LocalObjectStore.open(own.resolve("log"));
      try (ServerFixture fixture =
          ServerFixture.on(own, store, Map.of("server.flush-interval", "250ms"))) {
        TableIdentifier table = fixture.table("t", "id bigint not null, h bigint not null");
        send(fixture, table, rows);
        assertWhole(fixture, table, rows);
      }
    }
  }

  private static void send(ServerFixture fixture, TableIdentifier table, int rows)
      throws InterruptedException {
    ConcurrentLinkedQueue<CompletableFuture<PutAnswer>> answers = new ConcurrentLinkedQueue<>();
    List<Thread> senders = new ArrayList<>();
    for (int s = 0; s < STREAMS; s++) {
      int stream = s;
      Thread sender = new Thread(() -> send(fixture, table, rows, stream, answers));
      senders.add(sender);
      sender.start();
    }
    for (Thread sender : senders) {
      sender.join();
    }
    assertThat(answers).hasSize(rows / BATCH_ROWS);
    assertThat(answers).allSatisfy(a -> assertThat(a.join().status()).isEqualTo(PutStatus.OK));
  }

  /// Each stream sends every eighth batch.
  private static void send(
      ServerFixture fixture,
      TableIdentifier table,
      int rows,
      int stream,
      ConcurrentLinkedQueue<CompletableFuture<PutAnswer>> answers) {
    try (PutStream put = fixture.client.put(PutRequest.of(table), SCHEMA);
        VectorSchemaRoot batch = VectorSchemaRoot.create(SCHEMA, fixture.clientMemory)) {
      for (int first = stream * BATCH_ROWS; first < rows; first += STREAMS * BATCH_ROWS) {
        BigIntVector id = (BigIntVector) batch.getVector("id");
        BigIntVector hash = (BigIntVector) batch.getVector("h");
        id.allocateNew(BATCH_ROWS);
        hash.allocateNew(BATCH_ROWS);
        for (int i = 0; i < BATCH_ROWS; i++) {
          id.set(i, first + i);
          hash.set(i, hash(first + i));
        }
        batch.setRowCount(BATCH_ROWS);
        answers.add(put.send(batch));
      }
    }
  }

  private static long hash(long id) {
    long mixed = (id + 1) * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 31);
  }

  private static void assertWhole(ServerFixture fixture, TableIdentifier table, int rows) {
    BitSet seen = new BitSet(rows);
    long count = 0;
    long wrong = 0;
    try (RowStream batches = fixture.client.read(ReadRequest.of(table))) {
      while (batches.hasNext()) {
        VectorSchemaRoot batch = batches.next();
        BigIntVector id = (BigIntVector) batch.getVector("id");
        BigIntVector hash = (BigIntVector) batch.getVector("h");
        for (int i = 0; i < batch.getRowCount(); i++) {
          seen.set((int) id.get(i));
          wrong += hash.get(i) == hash(id.get(i)) ? 0 : 1;
        }
        count += batch.getRowCount();
      }
    }
    assertThat(count).isEqualTo(rows);
    assertThat(seen.cardinality()).isEqualTo(rows);
    assertThat(wrong).isZero();
  }
}
