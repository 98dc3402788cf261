package io.icewal.engine;

import io.icewal.storage.ObjectStore;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import org.apache.arrow.memory.RootAllocator;

/// The log as an engine has it that does nothing of its own.
final class TestLog extends EngineLog {
  TestLog(ObjectStore store) {
    super(
        "test",
        store,
        1,
        Executors.newSingleThreadExecutor(),
        new SplittableRandom(1),
        InstantSource.system(),
        new RootAllocator());
  }
}
