package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import java.time.Instant;

/// The store's own time: ages of objects are measured against it, never against a host's clock,
/// which may be hours off.
final class StoreClock {
  private StoreClock() {}

  /// One PUT and one HEAD.
  static Instant now(ObjectStore store, LogName log) {
    String key = Paths.clock(log);
    store.put(key, new byte[0]);
    return store
        .head(key)
        .map(ObjectMeta::lastModified)
        .orElseThrow(
            () ->
                new IcewalException(
                    ErrorKind.UNAVAILABLE, key + " is gone right after it was written"));
  }
}
