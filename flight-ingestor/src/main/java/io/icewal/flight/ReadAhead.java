package io.icewal.flight;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/// Lets a call send so many bytes ahead of its client; gRPC's default, 32 KiB, is less than a
/// batch.
record ReadAhead(int bytes) implements ServerInterceptor {
  @Override
  public <Q, R> Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    call.setOnReadyThreshold(bytes);
    return next.startCall(call, headers);
  }
}
