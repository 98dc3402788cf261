package io.icewal.storage;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/// Counts the requests that a store gets, by kind, and the bytes. Thread-safe.
public final class CountingObjectStore implements ObjectStore {
  private final ObjectStore inner;
  private final Map<StoreOp, Integer> counts = new TreeMap<>();
  private final AtomicLong bytesRead = new AtomicLong();
  private final AtomicLong bytesWritten = new AtomicLong();

  public CountingObjectStore(ObjectStore inner) {
    this.inner = inner;
  }

  /// Requests since the last [#reset], by kind; kinds without requests are left out.
  public synchronized Map<StoreOp, Integer> counts() {
    return new TreeMap<>(counts);
  }

  public int count(StoreOp op) {
    return counts().getOrDefault(op, 0);
  }

  public long bytesRead() {
    return bytesRead.get();
  }

  public long bytesWritten() {
    return bytesWritten.get();
  }

  public synchronized void reset() {
    counts.clear();
    bytesRead.set(0);
    bytesWritten.set(0);
  }

  private synchronized void count(StoreOp op, long written) {
    counts.merge(op, 1, Integer::sum);
    bytesWritten.addAndGet(written);
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    count(StoreOp.PUT_IF_ABSENT, parts.stream().mapToLong(part -> part.length).sum());
    return inner.putIfAbsent(key, parts);
  }

  @Override
  public void put(String key, byte[] bytes) {
    count(StoreOp.PUT, bytes.length);
    inner.put(key, bytes);
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    count(StoreOp.GET, 0);
    Optional<StoredBytes> stored = inner.get(key, range);
    stored.ifPresent(found -> bytesRead.addAndGet(found.bytes().length));
    return stored;
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    count(StoreOp.HEAD, 0);
    return inner.head(key);
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    count(StoreOp.LIST, 0);
    return inner.list(prefix, startAfter, max);
  }

  @Override
  public void delete(Collection<String> keys) {
    count(StoreOp.DELETE, 0);
    inner.delete(keys);
  }

  @Override
  public String describe() {
    return inner.describe();
  }

  @Override
  public void close() {
    inner.close();
  }
}
