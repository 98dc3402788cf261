package io.icewal.flight;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.ErrorBody;
import io.icewal.protocol.Errors;
import io.icewal.protocol.PutMethod;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Bounds the size of incoming messages, and says so to the client.
///
/// gRPC's own bound resets the stream of a call that has answered before: its client sees a bare
/// CANCELLED, takes that for a lost connection, and sends the same batch again for ever. Here each
/// stream's bytes are counted as they arrive, and what grows beyond the bound ends the call with a
/// status that names it, long before the message is complete.
///
/// The bytes of all messages that have not arrived whole are bounded too: they lie in gRPC's own
/// buffers, where no allocator counts them. The message that grows beyond that bound is refused
/// UNAVAILABLE.
final class InboundLimit extends ServerStreamTracer.Factory implements ServerInterceptor {
  /// Tickets, descriptors and action bodies.
  private static final int OTHER_BYTES_MAX = 4 << 20;

  private static final Context.Key<Stream> STREAM = Context.key("icewal-inbound");

  private final int putBytesMax;
  private final long arrivingBytesMax;
  private final Executor executor;
  private final AtomicLong arrivingBytes = new AtomicLong();

  /// @param putBytesMax bound of a message of a put stream
  /// @param arrivingBytesMax bound of all messages that are on their way in
  InboundLimit(int putBytesMax, long arrivingBytesMax, Executor executor) {
    this.putBytesMax = putBytesMax;
    this.arrivingBytesMax = arrivingBytesMax;
    this.executor = executor;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
    int max = fullMethodName.equals(PutMethod.FULL_NAME) ? putBytesMax : OTHER_BYTES_MAX;
    return new Stream(max);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (call.getMethodDescriptor().getType() != MethodDescriptor.MethodType.BIDI_STREAMING) {
      // Its handler runs once the message is complete: nobody else uses the call before.
      onExcess(error -> call.close(status(error), trailers(error)));
    }
    return next.startCall(call, headers);
  }

  /// Says what happens when the current call's message grows too large; called while it starts.
  static void onExcess(Consumer<IcewalException> handler) {
    Stream stream = STREAM.get();
    if (stream != null) {
      stream.handler = handler;
    }
  }

  static Status status(IcewalException error) {
    return error.kind() == ErrorKind.INVALID
        ? Status.RESOURCE_EXHAUSTED.withDescription(error.getMessage())
        : Errors.toGrpc(Errors.body(error), error);
  }

  static Metadata trailers(IcewalException error) {
    ErrorBody body = Errors.body(error);
    return Errors.trailers(body);
  }

  /// Counts one stream. gRPC calls it on the connection's thread.
  private final class Stream extends ServerStreamTracer {
    private final int bytesMax;
    private final AtomicLong bytes = new AtomicLong();
    private volatile @Nullable Consumer<IcewalException> handler;

    Stream(int bytesMax) {
      this.bytesMax = bytesMax;
    }

    @Override
    public Context filterContext(Context context) {
      return context.withValue(STREAM, this);
    }

    @Override
    public void inboundWireSize(long more) {
      long before = bytes.getAndAdd(more);
      long all = arrivingBytes.addAndGet(more);
      if (before <= bytesMax && before + more > bytesMax) {
        refuse(
            ErrorKind.INVALID,
            "message is larger than " + bytesMax + " bytes; send smaller batches");
      } else if (all > arrivingBytesMax && all - more <= arrivingBytesMax) {
        refuse(
            ErrorKind.UNAVAILABLE,
            "not taken: more than " + arrivingBytesMax + " bytes of messages are on their way in");
      }
    }

    private void refuse(ErrorKind kind, String message) {
      Consumer<IcewalException> told = handler;
      if (told != null) {
        executor.execute(() -> told.accept(new IcewalException(kind, message)));
      }
    }

    @Override
    public void inboundMessageRead(int seqNo, long wireSize, long uncompressedSize) {
      forget();
    }

    @Override
    public void streamClosed(Status status) {
      forget();
    }

    private void forget() {
      arrivingBytes.addAndGet(-bytes.getAndSet(0));
    }
  }
}
