package io.icewal.cli.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The folder of one Spark process, all that it writes to beside the warehouse. Gone after it: this
/// process removes it, or, if it was killed before that, the next one that makes such a folder.
final class SparkFolder {
  private static final Logger LOG = LoggerFactory.getLogger(SparkFolder.class);

  private static final String PREFIX = "session-";

  /// Locked for as long as this process lives. A folder without it is being made, or is kept for
  /// its log, some days.
  private static final String OWNED = "owned";

  private static final Duration KEPT = Duration.ofDays(7);

  /// How those of this process begin: to look at the lock of one would free it.
  private static final String OWN = PREFIX + UUID.randomUUID() + "-";

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

  private final Path path;
  private final FileChannel owned;

  private SparkFolder(Path path, FileChannel owned) {
    this.path = path;
    this.owned = owned;
  }

  static SparkFolder make(Path parent) throws IOException {
    Files.createDirectories(parent);
    removeThoseOfKilledProcesses(parent);
    Path path = Files.createTempDirectory(parent, OWN);
    Files.createDirectory(path.resolve("tmp"));
    Files.writeString(path.resolve("log4j2.properties"), LOGGING);
    Path locked = path.resolve(OWNED + ".new");
    FileChannel owned =
        FileChannel.open(locked, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    owned.lock();
    Files.move(locked, path.resolve(OWNED));
    return new SparkFolder(path, owned);
  }

  private static void removeThoseOfKilledProcesses(Path parent) throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      for (Path path : files.toList()) {
        String name = path.getFileName().toString();
        boolean ours = name.startsWith(OWN);
        if (name.startsWith(PREFIX) && !(ours && Files.exists(path.resolve(OWNED)))) {
          removeUnlessWanted(path);
        }
      }
    }
  }

  private static void removeUnlessWanted(Path path) {
    Path file = path.resolve(OWNED);
    try {
      if (Files.exists(file)) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          if (channel.tryLock() != null) {
            remove(path);
          }
        }
      } else if (isOld(path)) {
        remove(path);
      }
    } catch (NoSuchFileException | DirectoryNotEmptyException e) {
      // Another process is removing it, or its Spark is still ending: the next one tries again.
    } catch (IOException e) {
      LOG.warn("cannot remove the folder of a Spark that has ended, {}: {}", path, e.toString());
    }
  }

  private static boolean isOld(Path path) throws IOException {
    return Files.getLastModifiedTime(path).toInstant().isBefore(Instant.now().minus(KEPT));
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
    remove(path);
    owned.close();
  }

  /// Removes all but what tells why the process ended.
  void keepLog() throws IOException {
    remove(path.resolve("tmp"));
    Files.deleteIfExists(path.resolve(OWNED));
    owned.close();
  }

  private static void remove(Path top) throws IOException {
    try (Stream<Path> files = Files.walk(top)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
