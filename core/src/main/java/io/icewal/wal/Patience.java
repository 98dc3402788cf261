package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;

/// How long a writer tries: pauses that double, up to a deadline. Belongs to one append.
final class Patience {
  private final InstantSource clock;
  private final Pause pause;
  private final Instant deadline;
  private final Duration longest;
  private Duration next;

  Patience(InstantSource clock, Pause pause, WriterLimits limits) {
    this.clock = clock;
    this.pause = pause;
    this.deadline = clock.instant().plus(limits.unknownDeadline());
    this.next = limits.retryPause();
    this.longest = limits.retryPauseMax();
  }

  /// Whether it is at its end: the deadline has passed, or the thread is to stop.
  boolean isOver() {
    return !clock.instant().isBefore(deadline) || Thread.currentThread().isInterrupted();
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
