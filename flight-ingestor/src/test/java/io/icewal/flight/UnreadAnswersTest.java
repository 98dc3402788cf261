package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.icewal.ingest.Ingestor;
import io.icewal.protocol.BodyBuffers;
import io.icewal.protocol.FlightFrame;
import io.icewal.protocol.PutMethod;
import io.icewal.protocol.PutRequest;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A client that sends and never reads what it is answered.
class UnreadAnswersTest {
  private static final long BACKLOG_BYTES = 200_000;

  @TempDir Path folder;

  @Test
  void aClientThatReadsNoAnswersIsSoonNoLongerAskedForBatches() {
    try (ServerFixture fixture = ServerFixture.on(folder);
        BufferAllocator memory =
            fixture.serverMemory().newChildAllocator("test", 0, Long.MAX_VALUE)) {
      TableIdentifier table = fixture.table("t", Rows.COLUMNS, "id");
      AnswerBacklog backlog = new AnswerBacklog(BACKLOG_BYTES);
      DeafCall call = new DeafCall(memory);
      PutCall put =
          new PutCall(
              call, fixture.injector.getInstance(Ingestor.class), memory, backlog, ended -> {});
      put.start();
      put.onMessage(frame(memory, schema(table)));
      FlightData bad = batchOfNullKeys(fixture.clientMemory);
      int sent = 0;
      while (call.requested > 0 && sent < 10_000) {
        call.requested--;
        put.onMessage(frame(memory, bad));
        sent++;
      }

      assertThat(sent).isBetween(2, 1_000);
      assertThat(call.answerBytes).isBetween(BACKLOG_BYTES, 2 * BACKLOG_BYTES);
      assertThat(backlog.hasRoom()).isFalse();
      call.ready = true;
      put.onReady();
      assertThat(backlog.hasRoom()).isTrue();
      assertThat(call.requested).isEqualTo(1);
      put.onCancel();
    }
  }

  private static FlightFrame frame(BufferAllocator memory, FlightData data) {
    return PutMethod.server(new BodyBuffers(memory, 0))
        .parseRequest(new ByteArrayInputStream(data.toByteArray()));
  }

  private static FlightData schema(TableIdentifier table) {
    return FlightData.newBuilder()
        .setFlightDescriptor(
            Flight.FlightDescriptor.newBuilder()
                .setType(Flight.FlightDescriptor.DescriptorType.CMD)
                .setCmd(ByteString.copyFrom(PutRequest.of(table).toJson())))
        .setDataHeader(
            ByteString.copyFrom(
                MessageSerializer.serializeMetadata(Rows.SCHEMA, IpcOption.DEFAULT)))
        .build();
  }

  private static FlightData batchOfNullKeys(BufferAllocator memory) {
    try (VectorSchemaRoot rows = Rows.of(memory, new Long[100], new String[100]);
        ArrowRecordBatch batch = new VectorUnloader(rows).getRecordBatch()) {
      return FlightData.newBuilder()
          .setDataHeader(
              ByteString.copyFrom(MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT)))
          .setDataBody(ByteString.copyFrom(new byte[(int) batch.computeBodyLength()]))
          .build();
    }
  }

  /// A call whose client takes nothing until told to.
  private static final class DeafCall extends ServerCall<FlightFrame, PutResult> {
    private final MethodDescriptor<FlightFrame, PutResult> method;
    int requested = -1; // The first message is the schema.
    long answerBytes;
    boolean ready;

    DeafCall(BufferAllocator memory) {
      this.method = PutMethod.server(new BodyBuffers(memory, 0));
    }

    @Override
    public void request(int messages) {
      requested += messages;
    }

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(PutResult message) {
      answerBytes += message.getSerializedSize();
    }

    @Override
    public boolean isReady() {
      return ready;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      throw new AssertionError("closed with " + status);
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<FlightFrame, PutResult> getMethodDescriptor() {
      return method;
    }
  }
}
