package io.icewal.trino;

import io.icewal.storage.ByteRange;
import io.icewal.storage.ForwardingObjectStore;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.storage.StoredBytes;
import java.util.List;
import java.util.Optional;

/// A store that tells of rows that are staged, and of what is read.
final class HookedObjectStore extends ForwardingObjectStore {
  private final StoreHooks hooks;

  HookedObjectStore(ObjectStore inner, StoreHooks hooks) {
    super(inner);
    this.hooks = hooks;
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    if (!key.contains("/staged/")) {
      return inner.putIfAbsent(key, parts);
    }
    hooks.start();
    PutOutcome outcome = inner.putIfAbsent(key, parts);
    hooks.stored(key);
    return outcome;
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    hooks.read(key);
    return inner.get(key, range);
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    hooks.read(prefix);
    return inner.list(prefix, startAfter, max);
  }
}
