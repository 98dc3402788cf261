package io.icewal.cli;

import io.icewal.config.IcewalConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// What a service that listens is told: its warehouse and its port.
final class ServingOptions {
  @Mixin private WarehouseOptions warehouse = new WarehouseOptions();

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Flight port, 0 for any free one (default: 8815, or server.port of the file).")
  private @Nullable Integer port;

  IcewalConfig read() {
    return warehouse.read(port);
  }
}
