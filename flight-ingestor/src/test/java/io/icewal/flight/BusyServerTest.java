package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.client.PutLimits;
import io.icewal.client.PutStream;
import io.icewal.client.RowStream;
import io.icewal.ingest.Ingestor;
import io.icewal.model.IcewalException;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import io.icewal.protocol.ReadRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bounds, draining, restarts, and several streams at once.
class BusyServerTest {
  @TempDir Path folder;

  @Test
  void b137_aSlowStoreSlowsSendersDownWithinTheMemoryBound() {
    GatedStore store = new GatedStore();
    try (ServerFixture fixture =
        ServerFixture.on(folder, store, Map.of("server.memory-max", "1048576"))) {
      TableIdentifier table = fixture.table("t", Rows.COLUMNS);
      Ingestor ingestor = fixture.injector.getInstance(Ingestor.class);
      store.closeGate();
      PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA);
      List<CompletableFuture<PutAnswer>> answers = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        answers.add(
            stream.send(Rows.range(fixture.clientMemory, i * 2_000L, 2_000, "0123456789abcdef")));
      }
      Await.until("the bound is reached", () -> ingestor.pendingBytes() > 900_000);

      assertThat(ingestor.pendingBytes()).isLessThanOrEqualTo(1 << 20);
      assertThat(fixture.serverMemory().getAllocatedMemory()).isLessThan(4 << 20);
      store.openGate();
      stream.close();

      assertThat(answers).allSatisfy(a -> assertThat(a.join().status()).isEqualTo(PutStatus.OK));
      assertThat(count(fixture, table)).isEqualTo(120_000);
    }
  }

  @Test
  void aServerThatAnswersNothingIsGivenUpAfterTheClientsPatience() {
    GatedStore store = new GatedStore();
    try (ServerFixture fixture = ServerFixture.on(folder, store, Map.of())) {
      TableIdentifier table = fixture.table("t", Rows.COLUMNS);
      store.closeGate();
      PutLimits hasty = new PutLimits(8, 1 << 20, Duration.ofMillis(200));
      PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA, hasty);
      CompletableFuture<PutAnswer> answer =
          stream
              .send(Rows.range(fixture.clientMemory, 0, 1, "a"))
              .whenComplete((given, error) -> sendFromAnotherThread(fixture, stream));

      assertThatThrownBy(() -> answer.orTimeout(60, TimeUnit.SECONDS).join())
          .hasCauseInstanceOf(IcewalException.class)
          .hasMessageContaining("answered nothing");
      assertThatThrownBy(stream::close).isInstanceOf(IcewalException.class);
      store.openGate();
    }
  }

  /// Hangs if the stream completes its futures under its lock.
  private static void sendFromAnotherThread(ServerFixture fixture, PutStream stream) {
    VectorSchemaRoot late = Rows.range(fixture.clientMemory, 1, 1, "b");
    CompletableFuture<?> refused = CompletableFuture.supplyAsync(() -> stream.send(late)).join();
    assertThat(refused).isCompletedExceptionally();
  }

  @Test
  void aServerThatEndsAnswersWhatItAccepted() {
    GatedStore store = new GatedStore();
    TableIdentifier table;
    try (ServerFixture fixture = ServerFixture.on(folder, store, Map.of())) {
      table = fixture.table("t", Rows.COLUMNS);
      Ingestor ingestor = fixture.injector.getInstance(Ingestor.class);
      store.closeGate();
      PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA);
      CompletableFuture<PutAnswer> accepted =
          stream.send(Rows.range(fixture.clientMemory, 1, 1, "a"));
      Await.until("the batch is accepted", () -> ingestor.pendingBytes() > 0);

      CompletableFuture<Void> closing = CompletableFuture.runAsync(fixture.server::close);
      Await.until("the server drains", () -> isRefused(fixture));
      store.openGate();

      assertThat(accepted.join().status()).isEqualTo(PutStatus.OK);
      closing.join();
      stream.close();
      PutLimits hasty = new PutLimits(100, 1 << 20, Duration.ZERO);
      PutStream late = fixture.client.put(PutRequest.of(table), Rows.SCHEMA, hasty);
      assertThatThrownBy(late.send(Rows.range(fixture.clientMemory, 2, 1, "b"))::join)
          .cause()
          .isInstanceOf(IcewalException.class);
      assertThatThrownBy(late::close).isInstanceOf(IcewalException.class);
    }
    try (ServerFixture next = ServerFixture.on(folder, store, Map.of())) {
      assertThat(count(next, table)).isEqualTo(1);
    }
  }

  private static boolean isRefused(ServerFixture fixture) {
    try {
      fixture.client.tables();
      return false;
    } catch (IcewalException e) {
      return true;
    }
  }

  @Test
  void b019_parallelStreamsOverARestartStoreEachRowOnce() {
    int streams = 4;
    int batches = 40;
    int rows = 500;
    GatedStore store = new GatedStore();
    ServerFixture first = ServerFixture.on(folder, store, Map.of());
    TableIdentifier table = first.table("t", Rows.COLUMNS);
    List<PutStream> open = new ArrayList<>();
    List<CompletableFuture<PutAnswer>> answers = new ArrayList<>();
    for (int s = 0; s < streams; s++) {
      open.add(first.client.put(PutRequest.of(table), Rows.SCHEMA));
    }
    int port = first.server.port();
    for (int b = 0; b < batches / 2; b++) {
      send(first, open, answers, b, rows);
    }

    first.closeServer();
    ServerFixture second =
        ServerFixture.on(folder, store, Map.of("server.port", Integer.toString(port)));
    for (int b = batches / 2; b < batches; b++) {
      send(first, open, answers, b, rows);
    }
    open.forEach(PutStream::close);

    assertThat(answers).allSatisfy(a -> assertThat(a.join().status()).isEqualTo(PutStatus.OK));
    List<String> found = rows(second, table);
    assertThat(found).hasSize(streams * batches * rows);
    assertThat(found).doesNotHaveDuplicates();
    first.client.close();
    first.clientMemory.close();
    second.close();
  }

  /// One batch on each stream; ids differ in all.
  private static void send(
      ServerFixture fixture,
      List<PutStream> open,
      List<CompletableFuture<PutAnswer>> answers,
      int batch,
      int rows) {
    IntStream.range(0, open.size())
        .forEach(
            s ->
                answers.add(
                    open.get(s)
                        .send(
                            Rows.range(
                                fixture.clientMemory,
                                (long) (batch * open.size() + s) * rows,
                                rows,
                                "s" + s))));
  }

  @Test
  void b124_whatIsTooLargeIsRefusedWithTheLimitAndTheServerLives() {
    try (ServerFixture fixture = ServerFixture.on(folder, Map.of("server.memory-max", "1048576"))) {
      TableIdentifier table = fixture.table("t", Rows.COLUMNS);

      try (PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA)) {
        PutAnswer answer =
            stream.send(Rows.of(fixture.clientMemory, new Long[] {1L}, text(2 << 20))).join();
        assertThat(answer.status()).isEqualTo(PutStatus.REJECTED);
        assertThat(answer.verdicts().get(0).message()).contains("1048576");
      }
      PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA);
      assertThatThrownBy(
              stream.send(Rows.of(fixture.clientMemory, new Long[] {1L}, text(12 << 20)))::join)
          .hasMessageContaining("larger than 9437184 bytes");
      assertThatThrownBy(stream::close).isInstanceOf(IcewalException.class);

      try (PutStream next = fixture.client.put(PutRequest.of(table), Rows.SCHEMA)) {
        next.send(Rows.of(fixture.clientMemory, new Long[] {1L}, text(500_000))).join();
      }
      assertThat(count(fixture, table)).isEqualTo(1);
    }
  }

  @Test
  void onlyLoopbackIsServed() {
    assertThatThrownBy(() -> ServerFixture.on(folder, Map.of("server.host", "0.0.0.0")))
        .hasMessageContaining("loopback");
  }

  private static String[] text(int chars) {
    return new String[] {"x".repeat(chars)};
  }

  private static long count(ServerFixture fixture, TableIdentifier table) {
    return rows(fixture, table).size();
  }

  private static List<String> rows(ServerFixture fixture, TableIdentifier table) {
    try (RowStream rows = fixture.client.read(ReadRequest.of(table))) {
      return Rows.texts(() -> rows);
    }
  }
}
