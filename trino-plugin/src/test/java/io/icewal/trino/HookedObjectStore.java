package io.icewal.trino;

import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.storage.StoredBytes;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// A store that does something else first, once, when rows are about to be staged.
final class HookedObjectStore implements ObjectStore {
  private final ObjectStore inner;
  private final AtomicReference<Runnable> beforeStaging;

  HookedObjectStore(ObjectStore inner, AtomicReference<Runnable> beforeStaging) {
    this.inner = inner;
    this.beforeStaging = beforeStaging;
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    Runnable work = key.contains("/staged/") ? beforeStaging.getAndSet(null) : null;
    if (work != null) {
      work.run();
    }
    return inner.putIfAbsent(key, parts);
  }

  @Override
  public void put(String key, byte[] bytes) {
    inner.put(key, bytes);
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    return inner.get(key, range);
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    return inner.head(key);
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    return inner.list(prefix, startAfter, max);
  }

  @Override
  public void delete(Collection<String> keys) {
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
