package io.icewal.flight;

import io.icewal.storage.ForwardingObjectStore;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A store whose segments can be held back: a put waits at the closed gate, like one to a store
/// that is slow. Thread-safe.
final class GatedStore extends ForwardingObjectStore {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();
  private boolean closed;

  /// In memory.
  GatedStore() {
    this(new MemoryObjectStore(Clock.systemUTC()));
  }

  GatedStore(ObjectStore store) {
    super(store);
  }

  void closeGate() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  void openGate() {
    lock.lock();
    try {
      closed = false;
      opened.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    if (key.contains("/segments/")) {
      lock.lock();
      try {
        while (closed) {
          opened.awaitUninterruptibly();
        }
      } finally {
        lock.unlock();
      }
    }
    return inner.putIfAbsent(key, parts);
  }

  @Override
  public String describe() {
    return "gated " + inner.describe();
  }
}
