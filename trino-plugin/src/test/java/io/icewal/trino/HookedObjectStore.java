package io.icewal.trino;

import io.icewal.storage.ForwardingObjectStore;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import java.util.List;

/// A store that tells of rows that are staged.
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
}
