package io.icewal.trino;

import io.icewal.storage.ForwardingObjectStore;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/// A store that does something else first, once, when rows are about to be staged.
final class HookedObjectStore extends ForwardingObjectStore {
  private final AtomicReference<Runnable> beforeStaging;

  HookedObjectStore(ObjectStore inner, AtomicReference<Runnable> beforeStaging) {
    super(inner);
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
}
