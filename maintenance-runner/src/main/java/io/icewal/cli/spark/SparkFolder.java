package io.icewal.cli.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// The folder of one Spark process, all that it writes to beside the warehouse. Gone after it.
///
/// @param path its own
record SparkFolder(Path path) {
  private static final String LOGGING =
      """
      rootLogger.level = warn
      rootLogger.appenderRef.stderr.ref = stderr
      appender.stderr.type = Console
      appender.stderr.name = stderr
      appender.stderr.target = SYSTEM_ERR
      appender.stderr.layout.type = PatternLayout
      appender.stderr.layout.pattern = %d %p %c{1}: %m%n%ex
      """;

  static SparkFolder make(Path parent) throws IOException {
    Files.createDirectories(parent);
    Path path = Files.createTempDirectory(parent, "session-");
    Files.createDirectory(path.resolve("tmp"));
    Files.writeString(path.resolve("log4j2.properties"), LOGGING);
    return new SparkFolder(path);
  }

  Path log() {
    return path.resolve("session.log");
  }

  /// A JVM's options for Spark 4.1, with which it writes nowhere else.
  List<String> options() {
    return List.of(
        "-Djava.io.tmpdir=" + path.resolve("tmp"),
        "-Dlog4j2.configurationFile=" + path.resolve("log4j2.properties").toUri(),
        "-Dspark.sql.warehouse.dir=" + path.resolve("tmp/warehouse").toUri());
  }

  void remove() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
