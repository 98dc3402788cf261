package io.icewal.trino;

import io.icewal.config.IcewalConfig;
import java.nio.file.Path;

/// Another process on the warehouse of a Trino server.
final class TestTables extends io.icewal.TestTables {
  TestTables(Path folder) {
    super(folder);
  }

  TestTables(IcewalConfig config) {
    super(config);
  }
}
