package io.icewal.ingest;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Whether a stream still counts: after its first failure nothing later on it may be acknowledged,
/// or a resend of the failed batch could land behind a later write of the same producer.
/// Thread-safe.
final class StreamState {
  private final AtomicReference<@Nullable IcewalException> failure = new AtomicReference<>();

  /// Ends the stream, unless it has ended before.
  void fail(IcewalException cause) {
    failure.compareAndSet(null, cause);
  }

  boolean hasFailed() {
    return failure.get() != null;
  }

  /// The answer for whatever comes after the failure.
  ///
  /// @throws IllegalStateException if the stream has not failed
  IcewalException afterFailure() {
    IcewalException cause = failure.get();
    if (cause == null) {
      throw new IllegalStateException("stream has not failed");
    }
    return new IcewalException(
        ErrorKind.UNAVAILABLE,
        "not taken: the stream ended with an earlier batch ("
            + cause.getMessage()
            + "); open a new one and send every unanswered batch again, in order",
        cause);
  }
}
