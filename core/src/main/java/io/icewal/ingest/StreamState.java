package io.icewal.ingest;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Whether a stream still counts. After its first error it takes nothing more: a resend of the
/// batch in question could else land behind a later write of the same producer. What was taken
/// before a batch that was refused goes its way; what was taken after one whose append failed does
/// not. Thread-safe.
final class StreamState {
  private final AtomicReference<@Nullable IcewalException> end = new AtomicReference<>();
  private volatile boolean failed;

  /// A batch was not taken: nothing after it is.
  void refuse(IcewalException cause) {
    end.compareAndSet(null, cause);
  }

  /// A batch that was taken is not acknowledged: nothing that was taken after it may be, either.
  void fail(IcewalException cause) {
    refuse(cause);
    failed = true;
  }

  boolean hasEnded() {
    return end.get() != null;
  }

  boolean hasFailed() {
    return failed;
  }

  /// The answer for whatever comes after the first error.
  ///
  /// @param kind UNAVAILABLE if the batch was not stored, UNKNOWN if it may have been
  /// @throws IllegalStateException if the stream has not ended
  IcewalException afterEnd(ErrorKind kind) {
    IcewalException cause = end.get();
    if (cause == null) {
      throw new IllegalStateException("stream has not ended");
    }
    return new IcewalException(
        kind,
        (kind == ErrorKind.UNKNOWN ? "perhaps taken" : "not taken")
            + ": the stream ended with an earlier batch ("
            + cause.getMessage()
            + "); open a new one and send every unanswered batch again, in order",
        cause);
  }
}
