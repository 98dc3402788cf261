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
final class InboundLimit extends ServerStreamTracer.Factory implements ServerInterceptor {
  /// Tickets, descriptors and action bodies.
  private static final int OTHER_BYTES_MAX = 4 << 20;

  private static final Context.Key<Stream> STREAM = Context.key("icewal-inbound");

  private final int putBytesMax;
  private final Executor executor;

  /// @param putBytesMax bound of a message of a put stream
  InboundLimit(int putBytesMax, Executor executor) {
    this.putBytesMax = putBytesMax;
    this.executor = executor;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
    int max = fullMethodName.equals(PutMethod.FULL_NAME) ? putBytesMax : OTHER_BYTES_MAX;
    return new Stream(max, executor);
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
    return Status.RESOURCE_EXHAUSTED.withDescription(error.getMessage());
  }

  static Metadata trailers(IcewalException error) {
    ErrorBody body = Errors.body(error);
    return Errors.trailers(body);
  }

  /// Counts one stream. gRPC calls it on the connection's thread.
  private static final class Stream extends ServerStreamTracer {
    private final int bytesMax;
    private final Executor executor;
    private final AtomicLong bytes = new AtomicLong();
    private volatile @Nullable Consumer<IcewalException> handler;

    Stream(int bytesMax, Executor executor) {
      this.bytesMax = bytesMax;
      this.executor = executor;
    }

    @Override
    public Context filterContext(Context context) {
      return context.withValue(STREAM, this);
    }

    @Override
    public void inboundMessage(int seqNo) {
      bytes.set(0);
    }

    @Override
    public void inboundWireSize(long more) {
      long before = bytes.getAndAdd(more);
      Consumer<IcewalException> told = handler;
      if (before <= bytesMax && before + more > bytesMax && told != null) {
        IcewalException error =
            new IcewalException(
                ErrorKind.INVALID,
                "message is larger than " + bytesMax + " bytes; send smaller batches");
        executor.execute(() -> told.accept(error));
      }
    }
  }
}
