package io.icewal.trino;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/// What happens when tasks of a server stage rows, or when it reads its log, on any of its nodes.
/// Thread-safe.
final class StoreHooks {
  private final AtomicReference<Runnable> before = new AtomicReference<>();
  private final AtomicReference<Read> beforeRead = new AtomicReference<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger staged = new AtomicInteger();

  /// Done once, when a task is about to stage rows.
  void beforeNext(Runnable work) {
    before.set(work);
  }

  /// @param part of the names of the objects that are about to be read or listed
  private record Read(String part, Runnable work) {}

  /// Done once, when an object whose name has a part is about to be read.
  void beforeNextRead(String part, Runnable work) {
    beforeRead.set(new Read(part, work));
  }

  /// The next so many stagings take effect, and then fail.
  void failNext(int times) {
    failures.set(times);
  }

  /// How many were stored, published or not, since this was asked last.
  int staged() {
    return staged.getAndSet(0);
  }

  /// Failures that were not met yet.
  int failuresLeft() {
    return failures.get();
  }

  void start() {
    Runnable work = before.getAndSet(null);
    if (work != null) {
      work.run();
    }
  }

  void read(String name) {
    Read next = beforeRead.get();
    if (next != null && name.contains(next.part) && beforeRead.compareAndSet(next, null)) {
      next.work.run();
    }
  }

  void stored(String key) {
    staged.incrementAndGet();
    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IcewalException(ErrorKind.UNAVAILABLE, "the answer for " + key + " was lost");
    }
  }
}
