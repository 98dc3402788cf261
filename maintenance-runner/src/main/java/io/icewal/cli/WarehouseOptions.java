package io.icewal.cli;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/// Which warehouse (catalog, tables and log) a command works on.
final class WarehouseOptions {
  @ArgGroup(multiplicity = "0..1")
  private @Nullable Where where;

  /// Either a folder or a file.
  private static final class Where {
    @Option(
        names = "--data",
        paramLabel = "DIR",
        description =
            "Keep everything under this folder: SQLite catalog, tables and log (default:"
                + " ./icewal-data).")
    private @Nullable Path data;

    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "Properties file with catalog.* and log.root; see docs/configuration.md.")
    private @Nullable Path config;
  }

  /// @param port instead of the configured one; null leaves it
  IcewalConfig read(@Nullable Integer port) {
    IcewalConfig config = read();
    if (port == null) {
      return config;
    }
    requirePort(port);
    return config.withPort(port);
  }

  /// @throws IcewalException INVALID for a number that is no port
  static void requirePort(int port) {
    if (port < 0 || port > 65_535) {
      throw new IcewalException(ErrorKind.INVALID, "--port must be 0 to 65535, got " + port);
    }
  }

  /// The property of a Trino catalog file that names the same warehouse.
  Map.Entry<String, String> asPropertyOfTrino() {
    return where != null && where.config != null
        ? Map.entry("icewal.config", where.config.toAbsolutePath().normalize().toString())
        : Map.entry("icewal.data", folder().toString());
  }

  /// The option of a catalog in Spark that names the same warehouse.
  Map.Entry<String, String> asOptionOfSpark() {
    Map.Entry<String, String> named = asPropertyOfTrino();
    return Map.entry(named.getKey().replace("icewal.", ""), named.getValue());
  }

  private IcewalConfig read() {
    if (where != null && where.config != null) {
      return IcewalConfig.load(where.config);
    }
    return IcewalConfig.embedded(folder());
  }

  private Path folder() {
    Path folder = where == null || where.data == null ? Path.of("icewal-data") : where.data;
    return folder.toAbsolutePath().normalize();
  }
}
