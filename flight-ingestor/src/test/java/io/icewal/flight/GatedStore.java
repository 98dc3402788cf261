package io.icewal.flight;

import io.icewal.storage.ByteRange;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.storage.StoredBytes;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A store whose segments can be held back: a put waits at the closed gate, like one to a store
/// that is slow. Thread-safe.
final class GatedStore implements ObjectStore {
  private final ObjectStore store;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();
  private boolean closed;

  /// In memory.
  GatedStore() {
    this(new MemoryObjectStore(Clock.systemUTC()));
  }

  GatedStore(ObjectStore store) {
    this.store = store;
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
    return store.putIfAbsent(key, parts);
  }

  @Override
  public void put(String key, byte[] bytes) {
    store.put(key, bytes);
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    return store.get(key, range);
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    return store.head(key);
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    return store.list(prefix, startAfter, max);
  }

  @Override
  public void delete(Collection<String> keys) {
    store.delete(keys);
  }

  @Override
  public String describe() {
    return "gated " + store.describe();
  }

  @Override
  public void close() {
    store.close();
  }
}
