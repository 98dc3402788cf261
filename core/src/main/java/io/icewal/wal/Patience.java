package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;

/// How long a writer tries: pauses that double, up to a deadline. A clock that is set back in
/// between does not make it longer: only time that was seen to pass is counted. Belongs to one
/// append.
final class Patience {
  private final InstantSource clock;
  private final Pause pause;
  private Instant seen;
  private Duration left;
  private final Duration longest;
  private Duration next;

  Patience(InstantSource clock, Pause pause, WriterLimits limits) {
    this.clock = clock;
    this.pause = pause;
    this.seen = clock.instant();
    this.left = limits.unknownDeadline();
    this.next = limits.retryPause();
    this.longest = limits.retryPauseMax();
  }

  /// Whether it is at its end: the deadline has passed, or the thread is to stop.
  boolean isOver() {
    Instant now = clock.instant();
    if (now.isAfter(seen)) {
      left = left.minus(Duration.between(seen, now));
    }
    seen = now;
    return left.isNegative() || left.isZero() || Thread.currentThread().isInterrupted();
  }

  void pause() {
    pause.pause(next);
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(longest) < 0 ? doubled : longest;
  }

  /// Asks until there is an answer.
  ///
  /// @throws IcewalException the last UNAVAILABLE when the deadline has passed; any other at once
  <T> T insist(Supplier<T> request) {
    while (true) {
      try {
        return request.get();
      } catch (IcewalException e) {
        if (e.kind() != ErrorKind.UNAVAILABLE || isOver()) {
          throw e;
        }
        pause();
      }
    }
  }
}
