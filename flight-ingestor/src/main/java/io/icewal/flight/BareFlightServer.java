package io.icewal.flight;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutStatus;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/// A Flight server of Arrow's own that throws every batch away and answers `ok`: what ingestion is
/// measured against. Its numbers are the cost of Flight alone, client included.
public final class BareFlightServer implements AutoCloseable {
  private final BufferAllocator allocator;
  private final FlightServer server;

  /// Starts on a free port of the loopback address.
  public BareFlightServer(BufferAllocator parent) {
    this.allocator = parent.newChildAllocator("bare-flight", 0, Long.MAX_VALUE);
    Location anyPort = Location.forGrpcInsecure("127.0.0.1", 0);
    this.server = FlightServer.builder(allocator, anyPort, new Discard(allocator)).build();
    try {
      server.start();
    } catch (IOException e) {
      allocator.close();
      throw new IcewalException(ErrorKind.UNAVAILABLE, "bare Flight server does not start", e);
    }
  }

  /// Where clients connect.
  public URI uri() {
    return URI.create("grpc://127.0.0.1:" + server.getPort());
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    allocator.close();
  }

  private static final class Discard extends NoOpFlightProducer {
    private final BufferAllocator allocator;

    Discard(BufferAllocator allocator) {
      this.allocator = allocator;
    }

    @Override
    public Runnable acceptPut(
        CallContext context, FlightStream stream, StreamListener<PutResult> answers) {
      return () -> {
        while (stream.next()) {
          answer(answers, stream.getRoot().getRowCount());
        }
      };
    }

    private void answer(StreamListener<PutResult> answers, int rows) {
      byte[] json = new PutAnswer(PutStatus.OK, rows, null, List.of(), 0, null).toJson();
      ArrowBuf metadata = allocator.buffer(json.length);
      metadata.writeBytes(json);
      try (PutResult result = PutResult.metadata(metadata)) {
        answers.onNext(result);
      }
    }
  }
}
