package io.icewal.ingest;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The bound on the bytes of all batches between admission and answer. First come, first served: a
/// large batch is not starved by small ones behind it. Thread-safe.
final class ByteBudget {
  /// Counted in KiB, rounded up, so that the bound fits a semaphore up to 2 TiB.
  private static final int UNIT_SHIFT = 10;

  private final int unitsMax;
  private final Semaphore free;

  ByteBudget(long bytesMax) {
    unitsMax = Math.toIntExact(bytesMax >> UNIT_SHIFT) + 1;
    free = new Semaphore(unitsMax, true);
  }

  /// Waits at most the given time for the bytes.
  ///
  /// @return whether they were granted
  boolean acquire(long bytes, Duration wait) throws InterruptedException {
    int units = units(bytes);
    return units <= unitsMax && free.tryAcquire(units, wait.toNanos(), TimeUnit.NANOSECONDS);
  }

  void release(long bytes) {
    free.release(units(bytes));
  }

  /// Bytes granted now, rounded up to units.
  long usedBytes() {
    return (long) (unitsMax - free.availablePermits()) << UNIT_SHIFT;
  }

  private static int units(long bytes) {
    return (int) Math.min(Integer.MAX_VALUE, (bytes + (1 << UNIT_SHIFT) - 1) >> UNIT_SHIFT);
  }
}
