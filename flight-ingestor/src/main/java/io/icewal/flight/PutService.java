package io.icewal.flight;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.icewal.ingest.Ingestor;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.BodyBuffers;
import io.icewal.protocol.ErrorBody;
import io.icewal.protocol.Errors;
import io.icewal.protocol.FlightFrame;
import io.icewal.protocol.PutMethod;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.apache.arrow.memory.BufferAllocator;

/// Arrow's Flight service with DoPut taken over by [PutCall]. Knows the put calls that run.
/// Thread-safe.
final class PutService implements ServerCallHandler<FlightFrame, PutResult>, AutoCloseable {
  /// Put streams open at a time; each holds a dictionary state and at most one message.
  static final int STREAMS_MAX = 4_096;

  /// Answers that wait for clients who do not read, over all streams.
  private static final long UNREAD_BYTES_MAX = 64 << 20;

  private final Ingestor ingestor;
  private final BufferAllocator allocator;
  private final BodyBuffers bodies;
  private final AnswerBacklog backlog = new AnswerBacklog(UNREAD_BYTES_MAX);
  private final Set<PutCall> running = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  /// @param allocator for the messages that come in
  /// @param keptBytesMax what is kept at most of their memory for the next ones
  PutService(Ingestor ingestor, BufferAllocator allocator, long keptBytesMax) {
    this.ingestor = ingestor;
    this.allocator = allocator;
    this.bodies = new BodyBuffers(allocator, keptBytesMax);
  }

  /// The given Flight service, with DoPut handled here.
  ServerServiceDefinition over(ServerServiceDefinition flight) {
    MethodDescriptor<FlightFrame, PutResult> put = PutMethod.server(bodies);
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(PutMethod.SERVICE)
            .setSchemaDescriptor(flight.getServiceDescriptor().getSchemaDescriptor())
            .addMethod(put);
    ArrayList<ServerMethodDefinition<?, ?>> others = new ArrayList<>();
    for (ServerMethodDefinition<?, ?> method : flight.getMethods()) {
      if (!method.getMethodDescriptor().getFullMethodName().equals(PutMethod.FULL_NAME)) {
        descriptor.addMethod(method.getMethodDescriptor());
        others.add(method);
      }
    }
    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor.build());
    others.forEach(service::addMethod);
    return service.addMethod(put, this).build();
  }

  @Override
  public ServerCall.Listener<FlightFrame> startCall(
      ServerCall<FlightFrame, PutResult> call, Metadata headers) {
    if (running.size() >= STREAMS_MAX) {
      ErrorBody body =
          Errors.body(
              new IcewalException(
                  ErrorKind.UNAVAILABLE, "not taken: " + STREAMS_MAX + " put streams are open"));
      Status status = Errors.toGrpc(body, null);
      call.close(status, Errors.trailers(body));
      return new Refused();
    }
    PutCall put = new PutCall(call, ingestor, allocator, backlog, running::remove);
    running.add(put);
    InboundLimit.onExcess(put::refuse);
    put.start();
    if (draining) {
      put.drain();
    }
    return put;
  }

  /// Lets every running call answer what it has and end; new ones end at once.
  void drain() {
    draining = true;
    running.forEach(PutCall::drain);
  }

  /// Frees what is kept for messages to come: there are no more.
  @Override
  public void close() {
    bodies.close();
  }

  /// How many put calls run.
  int runningCalls() {
    return running.size();
  }

  /// A call that was refused. Messages that are on their way all the same are let go.
  private static final class Refused extends ServerCall.Listener<FlightFrame> {
    @Override
    public void onMessage(FlightFrame frame) {
      frame.close();
    }
  }
}
