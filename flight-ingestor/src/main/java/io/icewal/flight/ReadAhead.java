package io.icewal.flight;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/// Lets a read send so many bytes ahead of its client; gRPC's default, 32 KiB, is less than a
/// batch.
record ReadAhead(int bytes) implements ServerInterceptor {
  @Override
  public <Q, R> Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (call.getMethodDescriptor().getType() == MethodDescriptor.MethodType.SERVER_STREAMING) {
      call.setOnReadyThreshold(bytes);
    }
    return next.startCall(call, headers);
  }
}
