package io.icewal.cli.trino;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/// The folder of one Trino server, all that it writes to: `etc/` with its configuration, `plugin/`
/// with links to the plugins, `tmp/`, and `server.log` with older lines in `server.log.1`. Made
/// anew at each start.
final class TrinoFolder {
  /// The service file that makes a folder of jars a plugin; the jars of stock Iceberg have none.
  private static final String SERVICE = "META-INF/services/io.trino.spi.Plugin";

  private static final String STOCK_PLUGIN = "io.trino.plugin.iceberg.IcebergPlugin";

  final Path path;

  private TrinoFolder(Path path) {
    this.path = path;
  }

  /// @param warehouse the one property of the catalog file that names the warehouse
  static TrinoFolder make(
      Path path, TrinoParts parts, int port, Map.Entry<String, String> warehouse)
      throws IOException {
    TrinoFolder folder = new TrinoFolder(path);
    folder.delete("etc", "plugin", "tmp");
    Files.createDirectories(path.resolve("tmp"));
    folder.write("etc/config.properties", config(port));
    folder.write("etc/log.properties", Map.of("io.trino", "WARN", "io.airlift", "WARN"));
    folder.write(
        "etc/catalog/icewal.properties",
        Map.of("connector.name", "icewal", warehouse.getKey(), warehouse.getValue()));
    folder.link("plugin/icewal", parts.plugin());
    // Trino takes no function twice, so the connector leaves that of Iceberg's statistics to the
    // stock plugin, which every Trino has.
    folder.link("plugin/iceberg", parts.plugin().stream().filter(part -> !ours(part)).toList());
    Path service = Files.createDirectories(path.resolve("plugin/iceberg/services"));
    Files.createDirectories(service.resolve(SERVICE).getParent());
    Files.writeString(service.resolve(SERVICE), STOCK_PLUGIN + "\n");
    return folder;
  }

  private static Map<String, String> config(int port) {
    return Map.ofEntries(
        Map.entry("node.environment", "icewal"),
        Map.entry("node.id", "icewal-" + port),
        Map.entry("node.bind-ip", TrinoServer.HOST),
        Map.entry("node.internal-address", TrinoServer.HOST),
        Map.entry("coordinator", "true"),
        Map.entry("node-scheduler.include-coordinator", "true"),
        Map.entry("http-server.http.port", Integer.toString(port)),
        Map.entry("http-server.log.enabled", "false"),
        Map.entry("discovery.uri", "http://" + TrinoServer.HOST + ":" + port),
        Map.entry("catalog.config-dir", "etc/catalog"),
        Map.entry("plugin.dir", "plugin"));
  }

  /// Whether a part is of icewal and not of stock Iceberg: a jar, or the classes of a module.
  private static boolean ours(Path part) {
    return part.getFileName().toString().matches("core\\.jar|trino-plugin\\.jar|classes");
  }

  private void write(String name, Map<String, String> values) throws IOException {
    Properties properties = new Properties();
    properties.putAll(values);
    Path file = path.resolve(name);
    Files.createDirectories(file.getParent());
    try (Writer out = Files.newBufferedWriter(file)) {
      properties.store(out, null);
    }
  }

  /// A number before each name keeps the order, and apart what has one name.
  private void link(String name, List<Path> parts) throws IOException {
    Path folder = Files.createDirectories(path.resolve(name));
    int number = 1000;
    for (Path part : parts) {
      Files.createSymbolicLink(
          folder.resolve(number++ + "-" + part.getFileName()), part.toAbsolutePath());
    }
  }

  Path log() {
    return path.resolve("server.log");
  }

  /// Leaves what tells how the server ran: its configuration and its log.
  void removeTemporaryFiles() throws IOException {
    delete("plugin", "tmp");
  }

  /// Leaves nothing.
  void remove() throws IOException {
    delete("");
  }

  private void delete(String... names) throws IOException {
    for (String name : names) {
      Path top = path.resolve(name);
      if (Files.exists(top)) {
        try (Stream<Path> paths = Files.walk(top)) {
          for (Path file : paths.sorted(Comparator.reverseOrder()).toList()) {
            Files.deleteIfExists(file);
          }
        }
      }
    }
  }
}
