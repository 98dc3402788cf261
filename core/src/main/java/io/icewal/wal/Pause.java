package io.icewal.wal;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// How a loop waits before it asks a store again. Implementations: [#REAL], and those of simulated
/// time in tests.
@FunctionalInterface
public interface Pause {
  /// Blocks the calling thread; returns at once, and leaves the thread interrupted, if it is
  /// interrupted.
  Pause REAL = duration -> LockSupport.parkNanos(duration.toNanos());

  void pause(Duration duration);
}
