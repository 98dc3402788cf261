package io.icewal.bench;

import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutStatus;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/// Arrow's own Flight server with nothing behind it: it takes batches, drops them, and answers each
/// as icewal would. What icewal does beyond moving bytes is measured against it.
final class BareServer implements AutoCloseable {
  private final BufferAllocator allocator;
  private final FlightServer server;

  BareServer(BufferAllocator parent) throws IOException {
    allocator = parent.newChildAllocator("bare", 0, Long.MAX_VALUE);
    server =
        FlightServer.builder(allocator, Location.forGrpcInsecure("127.0.0.1", 0), new Discard())
            .build()
            .start();
  }

  URI uri() {
    return URI.create("grpc://127.0.0.1:" + server.getPort());
  }

  @Override
  public void close() throws InterruptedException {
    server.close();
    allocator.close();
  }

  private final class Discard extends NoOpFlightProducer {
    @Override
    public Runnable acceptPut(
        CallContext context, FlightStream stream, StreamListener<PutResult> answers) {
      return () -> {
        try {
          while (stream.next()) {
            answer(stream.getRoot().getRowCount(), answers);
          }
          answers.onCompleted();
        } catch (RuntimeException e) {
          answers.onError(
              CallStatus.INTERNAL.withCause(e).withDescription("discard").toRuntimeException());
        }
      };
    }

    private void answer(int rows, StreamListener<PutResult> answers) {
      byte[] json = new PutAnswer(PutStatus.OK, rows, null, List.of(), 0, null).toJson();
      try (ArrowBuf metadata = allocator.buffer(json.length)) {
        metadata.writeBytes(json);
        answers.onNext(PutResult.metadata(metadata));
      }
    }
  }
}
