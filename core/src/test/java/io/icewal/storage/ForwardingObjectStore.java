package io.icewal.storage;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Hands every call to another store: what a test's store does not say is that one's.
public abstract class ForwardingObjectStore implements ObjectStore {
  protected final ObjectStore inner;

  protected ForwardingObjectStore(ObjectStore inner) {
    this.inner = inner;
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
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
