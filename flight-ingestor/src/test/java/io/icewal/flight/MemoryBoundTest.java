package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import io.icewal.client.IcewalClient;
import io.icewal.client.PutLimits;
import io.icewal.client.PutStream;
import io.icewal.client.RowStream;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.ColumnText;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import io.icewal.protocol.ReadRequest;
import io.icewal.protocol.TableDefinition;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A server of bounded memory whose store is blocked while far more is pushed at it than it can
/// hold: it refuses, acknowledges nothing, stays within its bound, and goes on when the store does.
class MemoryBoundTest {
  private static final int ROW_BYTES = 4_000;
  private static final int BATCH_ROWS = 1_000;
  private static final long BATCH_BYTES = (long) ROW_BYTES * BATCH_ROWS;
  private static final PutLimits PATIENT = new PutLimits(8, 32L << 20, Duration.ofMinutes(10));
  private static final PutLimits IMPATIENT = new PutLimits(1, 1, Duration.ZERO);

  /// A JVM's code, threads and classes, beside its heap and its buffers.
  private static final long JVM_BYTES = 300L << 20;

  @TempDir Path folder;
  private final BufferAllocator memory = new RootAllocator();
  private final AtomicLong acknowledged = new AtomicLong();
  private byte[] text;

  /// @param memoryMebibytes of `server.memory-max`
  private record Size(int streams, int batches, int memoryMebibytes, int heapMebibytes) {
    long rows() {
      return (long) streams * batches * BATCH_ROWS;
    }

    long bound() {
      return (long) memoryMebibytes << 20;
    }
  }

  @AfterEach
  void nothingIsLeft() {
    memory.close();
  }

  @Test
  void aBlockedStoreHoldsSendersBackWithinTheMemoryBound() throws Exception {
    push(new Size(4, 12, 16, 128));
  }

  @Test
  @Tag("long")
  void twoGigabytesAreHeldBackByFiveHundredMegabytes() throws Exception {
    push(new Size(8, 64, 128, 512));
  }

  private void push(Size size) throws Exception {
    makeText();
    try (JavaProcess server = start(size)) {
      URI uri = URI.create(server.awaitLine("listening ").substring("listening ".length()));
      try (IcewalClient client = IcewalClient.connect(uri, memory)) {
        TableIdentifier table = TableIdentifier.of("db", "t");
        client.create(
            TableDefinition.of(
                table, ColumnText.schema(ColumnText.columns(Rows.COLUMNS), List.of())));
        server.send("close");
        List<Thread> senders = send(client, table, size);
        awaitFull(server, size);
        assertRefused(client, table, size);
        assertThat(acknowledged).as("batches acknowledged by a blocked store").hasValue(0);
        assertBounded(server, size, "look blocked");

        server.send("open");
        for (Thread sender : senders) {
          sender.join();
        }
        assertThat(acknowledged).hasValue((long) size.streams() * size.batches());
        assertBounded(server, size, "look after");
        assertEachOnce(client, table, size);
      }
      assertThat(server.lines()).noneMatch(line -> line.contains("OutOf"));
    }
  }

  private JavaProcess start(Size size) {
    return JavaProcess.start(
        folder.resolve("output"),
        List.of(
            "-Xmx" + size.heapMebibytes() + "m",
            "-XX:MaxDirectMemorySize=" + size.heapMebibytes() + "m",
            "-XX:+ExitOnOutOfMemoryError"),
        GatedServer.class.getName(),
        folder.toString(),
        "server.memory-max",
        size.memoryMebibytes() + "MiB",
        "server.flush-interval",
        "250ms");
  }

  private void makeText() {
    SplittableRandom random = new SplittableRandom(1);
    text = new byte[8 << 20];
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) (' ' + 1 + random.nextInt(90));
    }
  }

  private List<Thread> send(IcewalClient client, TableIdentifier table, Size size)
      throws InterruptedException {
    List<Thread> senders = new ArrayList<>();
    CountDownLatch begun = new CountDownLatch(size.streams());
    for (int s = 0; s < size.streams(); s++) {
      int stream = s;
      Thread sender = new Thread(() -> sendAll(client, table, stream, size.batches(), begun));
      senders.add(sender);
      sender.start();
    }
    begun.await();
    return senders;
  }

  private void sendAll(
      IcewalClient client, TableIdentifier table, int stream, int batches, CountDownLatch begun) {
    SplittableRandom random = new SplittableRandom(stream);
    try (PutStream put = client.put(PutRequest.of(table), Rows.SCHEMA, PATIENT);
        VectorSchemaRoot batch = VectorSchemaRoot.create(Rows.SCHEMA, memory)) {
      for (int b = 0; b < batches; b++) {
        fill(batch, ((long) stream * batches + b) * BATCH_ROWS, random);
        put.send(batch).thenAccept(this::count);
        begun.countDown();
      }
    }
  }

  private void count(PutAnswer answer) {
    if (answer.status() == PutStatus.OK) {
      acknowledged.incrementAndGet();
    }
  }

  private void fill(VectorSchemaRoot batch, long firstId, SplittableRandom random) {
    BigIntVector id = (BigIntVector) batch.getVector("id");
    VarCharVector v = (VarCharVector) batch.getVector("v");
    id.allocateNew(BATCH_ROWS);
    v.allocateNew(BATCH_BYTES, BATCH_ROWS);
    for (int i = 0; i < BATCH_ROWS; i++) {
      id.set(i, firstId + i);
      v.set(i, text, random.nextInt(text.length - ROW_BYTES), ROW_BYTES);
    }
    batch.setRowCount(BATCH_ROWS);
  }

  /// Another batch would be refused from now on: nobody gets an answer while the store is blocked.
  private static void awaitFull(JavaProcess server, Size size) {
    AtomicLong looks = new AtomicLong();
    server.awaitUntil(
        () -> figures(server, "look " + looks.incrementAndGet())[0] > size.bound() - BATCH_BYTES);
  }

  /// @return the bytes admitted now, and Arrow's peak
  private static long[] figures(JavaProcess server, String look) {
    server.send(look);
    String line = server.awaitLine(look + ": ");
    return Arrays.stream(line.substring(look.length() + 2).split(" "))
        .mapToLong(Long::parseLong)
        .toArray();
  }

  /// A sender that does not wait is told to come back.
  private void assertRefused(IcewalClient client, TableIdentifier table, Size size) {
    PutStream put = client.put(PutRequest.of(table), Rows.SCHEMA, IMPATIENT);
    try (VectorSchemaRoot batch = VectorSchemaRoot.create(Rows.SCHEMA, memory)) {
      fill(batch, size.rows(), new SplittableRandom());
      Throwable refusal = put.send(batch).handle((answer, error) -> error).join();
      Throwable cause =
          refusal instanceof CompletionException wrapped ? wrapped.getCause() : refusal;
      assertThat(cause).isInstanceOf(IcewalException.class).hasMessageContaining("retry after");
      assertThat(((IcewalException) cause).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    }
    try {
      put.close();
    } catch (IcewalException e) {
      assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    }
  }

  private static void assertBounded(JavaProcess server, Size size, String look) {
    long[] figures = figures(server, look);

    assertThat(figures[0]).as("admitted bytes").isLessThanOrEqualTo(size.bound());
    assertThat(figures[1])
        .as("Arrow's bytes: what is admitted, and two messages of each stream, once converted")
        .isLessThan(size.bound() + (size.streams() + 1) * 2 * 2 * BATCH_BYTES);
    assertThat(server.residentPeakBytes())
        .as("bytes of the machine")
        .isLessThan((2L * size.heapMebibytes() << 20) + JVM_BYTES);
  }

  private static void assertEachOnce(IcewalClient client, TableIdentifier table, Size size) {
    BitSet seen = new BitSet();
    long rows = 0;
    try (RowStream batches = client.read(ReadRequest.of(table).withColumns(List.of("id")))) {
      while (batches.hasNext()) {
        VectorSchemaRoot batch = batches.next();
        BigIntVector id = (BigIntVector) batch.getVector("id");
        for (int i = 0; i < batch.getRowCount(); i++) {
          seen.set((int) id.get(i));
        }
        rows += batch.getRowCount();
      }
    }
    assertThat(rows).isEqualTo(size.rows());
    assertThat(seen.cardinality()).isEqualTo((int) size.rows());
  }
}
