package io.icewal.cli;

import io.icewal.Sources;
import io.icewal.cli.spark.SparkParts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Spark and icewal's jar for it, as Maven has just built and resolved them.
final class SparkPartsOfBuild {
  private SparkPartsOfBuild() {}

  /// Writes the class path to a folder, as the `icewal` script does.
  static Path write(Path folder) throws IOException {
    Path target = Sources.root().resolve("spark-runtime/target");
    Path libraries = target.resolve("spark.classpath");
    if (!Files.isReadable(libraries)) {
      throw new IllegalStateException(
          libraries + " is not there; compile the module spark-runtime first");
    }
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve(SparkParts.CLASS_PATH),
        jar(target) + File.pathSeparator + Files.readString(libraries));
    return folder;
  }

  private static Path jar(Path target) throws IOException {
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(file -> file.getFileName().toString().matches("icewal-spark-runtime-.*\\.jar"))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("no jar in " + target));
    }
  }
}
