package io.icewal.flight;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Waits for what other threads do.
final class Await {
  /// Far beyond what a busy machine needs: a test that waits so long has failed.
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Await() {}

  static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("never came true: " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
