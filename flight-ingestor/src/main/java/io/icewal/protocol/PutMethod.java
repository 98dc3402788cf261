package io.icewal.protocol;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;
import java.io.InputStream;
import org.apache.arrow.flight.impl.Flight.PutResult;

/// Flight's method DoPut as gRPC sees it, with icewal's own messages on the stream's way in.
///
/// Arrow's `FlightStream` is not used for puts, for four reasons: it takes a dictionary's *delta*
/// for a new dictionary and so reads wrong values; it waits for ever for the descriptor of a stream
/// whose client went away; it holds up to five messages that no bound counts; and it gives a client
/// no way to wait for room but a loop that burns a core.
public final class PutMethod {
  /// The service and method names of Arrow Flight.
  public static final String SERVICE = "arrow.flight.protocol.FlightService";

  public static final String FULL_NAME = MethodDescriptor.generateFullMethodName(SERVICE, "DoPut");

  private PutMethod() {}

  /// The server's side.
  ///
  /// @param bodies where the messages' bodies are read into
  public static MethodDescriptor<FlightFrame, PutResult> server(BodyBuffers bodies) {
    return method(
        new Marshaller<FlightFrame>() {
          @Override
          public InputStream stream(FlightFrame frame) {
            throw new IllegalStateException("a server sends no frames");
          }

          @Override
          public FlightFrame parse(InputStream in) {
            return FrameReader.read(bodies, in);
          }
        });
  }

  /// A client's side.
  public static MethodDescriptor<OutgoingFrame, PutResult> client() {
    return method(
        new Marshaller<OutgoingFrame>() {
          @Override
          public InputStream stream(OutgoingFrame frame) {
            return frame.stream();
          }

          @Override
          public OutgoingFrame parse(InputStream in) {
            throw new IllegalStateException("a client receives no frames");
          }
        });
  }

  private static <T> MethodDescriptor<T, PutResult> method(Marshaller<T> requests) {
    return MethodDescriptor.<T, PutResult>newBuilder()
        .setType(MethodType.BIDI_STREAMING)
        .setFullMethodName(FULL_NAME)
        .setRequestMarshaller(requests)
        .setResponseMarshaller(ProtoUtils.marshaller(PutResult.getDefaultInstance()))
        .build();
  }
}
