package io.icewal.storage;

import java.time.InstantSource;

final class MemoryObjectStoreTest extends ObjectStoreContract {
  @Override
  protected ObjectStore openEmpty() {
    return new MemoryObjectStore(InstantSource.system());
  }
}
