package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.icewal.client.PutStream;
import io.icewal.client.RowStream;
import io.icewal.protocol.BatchMetadata;
import io.icewal.protocol.OutgoingFrame;
import io.icewal.protocol.PutMethod;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import io.icewal.protocol.ReadRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Clients that go away at any moment leave whole batches, and neither memory nor calls.
class VanishingClientTest {
  private static final int ROWS = 100;

  @TempDir Path folder;
  private final GatedStore store = new GatedStore();
  private ServerFixture fixture;
  private TableIdentifier table;
  private ManagedChannel channel;
  private ArrowRecordBatch batch;

  @BeforeEach
  void start() {
    fixture = ServerFixture.on(folder, store, Map.of());
    table = fixture.table("t", Rows.COLUMNS);
    channel = connect();
    try (VectorSchemaRoot rows = Rows.range(fixture.clientMemory, 0, ROWS, "a")) {
      batch = new VectorUnloader(rows, true, true).getRecordBatch();
    }
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    store.openGate();
    awaitEnd();
    batch.close();
    fixture.close();
  }

  private void awaitEnd() {
    Await.until("the channel is down", channel::isTerminated);
  }

  @Test
  void b134_thousandsOfCancelledCallsLeaveNothing() {
    Random random = new Random(1);

    for (int i = 0; i < 3_000; i++) {
      RawPut put = new RawPut(channel, CallOptions.DEFAULT);
      if (random.nextInt(10) > 0) {
        put.schema();
        put.batches(random.nextInt(4));
      }
      put.call.cancel("gone", null);
    }

    baseline();
    worksAndHoldsWholeBatchesOnly();
  }

  @Test
  void b133_halfClosedAndCutConnectionsLeaveNothing() {
    for (int i = 0; i < 150; i++) {
      RawPut halfClosed = new RawPut(channel, CallOptions.DEFAULT);
      if (i % 3 > 0) {
        halfClosed.schema();
        halfClosed.batches(i % 3);
      }
      halfClosed.call.halfClose();
      assertThat(halfClosed.end.join().isOk()).isTrue();

      ManagedChannel own = connect();
      RawPut cut = new RawPut(own, CallOptions.DEFAULT);
      cut.schema();
      cut.batches(3);
      own.shutdownNow();
    }

    baseline();
    worksAndHoldsWholeBatchesOnly();
  }

  @Test
  void cancelsWhileTheStoreIsSlowLeaveNothing() {
    store.closeGate();
    for (int i = 0; i < 200; i++) {
      RawPut put = new RawPut(channel, CallOptions.DEFAULT);
      put.schema();
      put.batches(3);
      put.call.cancel("gone", null);
    }
    store.openGate();

    baseline();
    worksAndHoldsWholeBatchesOnly();
  }

  @Test
  void b140_aDeadlineAfterTheRowsAreDurableDoublesNothing() {
    store.closeGate();
    PutRequest request = PutRequest.of(table).withProducer("p", 0);
    RawPut late =
        new RawPut(channel, CallOptions.DEFAULT.withDeadlineAfter(1, TimeUnit.SECONDS), request);
    late.schema();
    late.batches(1);
    assertThat(late.end.join().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    store.openGate();

    try (PutStream again = fixture.client.put(request, Rows.SCHEMA)) {
      assertThat(again.send(Rows.range(fixture.clientMemory, 0, ROWS, "a")).join().status())
          .isEqualTo(PutStatus.OK);
    }

    assertThat(rows()).hasSize(ROWS);
  }

  @Test
  void b136_anIdleStreamHoldsNobodyUp() {
    RawPut idle = new RawPut(channel, CallOptions.DEFAULT);
    idle.schema();
    idle.batches(1);

    for (int i = 0; i < 20; i++) {
      try (PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA)) {
        assertThat(stream.send(Rows.range(fixture.clientMemory, 0, ROWS, "b")).join().status())
            .isEqualTo(PutStatus.OK);
      }
    }

    idle.call.halfClose();
    assertThat(idle.end.join().isOk()).isTrue();
  }

  @Test
  void abandonedReadsLeaveNothing() {
    for (int i = 0; i < 5; i++) {
      try (PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA)) {
        stream.send(Rows.range(fixture.clientMemory, 0, 20_000, "b")).join();
      }
    }
    for (int i = 0; i < 100; i++) {
      try (RowStream rows = fixture.client.read(ReadRequest.of(table))) {
        if (i % 2 == 0) {
          assertThat(rows.hasNext()).isTrue();
        }
      }
    }

    baseline();
  }

  private void baseline() {
    Await.until("no put call runs", () -> fixture.server.runningPuts() == 0);
    Await.until(
        "server memory is given back", () -> fixture.serverMemory().getAllocatedMemory() == 0);
  }

  private void worksAndHoldsWholeBatchesOnly() {
    try (PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA)) {
      assertThat(stream.send(Rows.range(fixture.clientMemory, 0, ROWS, "last")).join().status())
          .isEqualTo(PutStatus.OK);
    }
    List<String> rows = rows();
    assertThat(rows.size() % ROWS).isZero();
    assertThat(rows).contains("0=last");
  }

  private List<String> rows() {
    try (RowStream rows = fixture.client.read(ReadRequest.of(table))) {
      return Rows.texts(() -> rows);
    }
  }

  private ManagedChannel connect() {
    return NettyChannelBuilder.forAddress("127.0.0.1", fixture.server.port())
        .usePlaintext()
        .disableRetry()
        .build();
  }

  /// A put call without any care for its answers.
  private final class RawPut extends ClientCall.Listener<Flight.PutResult> {
    final ClientCall<OutgoingFrame, Flight.PutResult> call;
    final CompletableFuture<Status> end = new CompletableFuture<>();
    private final byte[] descriptor;
    private final byte[] metadata;

    RawPut(ManagedChannel channel, CallOptions options) {
      this(channel, options, PutRequest.of(table));
    }

    RawPut(ManagedChannel channel, CallOptions options, PutRequest request) {
      this.call = channel.newCall(PutMethod.client(), options);
      this.descriptor =
          Flight.FlightDescriptor.newBuilder()
              .setType(Flight.FlightDescriptor.DescriptorType.CMD)
              .setCmd(ByteString.copyFrom(request.toJson()))
              .build()
              .toByteArray();
      this.metadata = request.producer() == null ? new byte[0] : new BatchMetadata(0L).toJson();
      call.start(this, new Metadata());
      call.request(1_000);
    }

    void schema() {
      call.sendMessage(OutgoingFrame.schema(descriptor, Rows.SCHEMA));
    }

    void batches(int count) {
      for (int i = 0; i < count; i++) {
        call.sendMessage(OutgoingFrame.batch(batch, metadata));
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      end.complete(status);
    }
  }
}
