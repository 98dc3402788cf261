package io.icewal.cli.spark;

import io.icewal.cli.parts.ClassPathFile;
import io.icewal.model.IcewalException;
import java.nio.file.Path;

/// What a Spark process is made of, as the build resolved it: a file that holds its class path.
///
/// @param folder where the file lies
/// @param classPath Spark, iceberg-spark-runtime and icewal's jar
public record SparkParts(Path folder, String classPath) {
  /// Set by the `icewal` script to the folder that holds the file.
  public static final String FOLDER = "icewal.spark";

  public static final String CLASS_PATH = "session.classpath";

  private static final String OWNER = "Spark session";
  private static final String COMMAND = "spark-sql";

  /// Those that the `icewal` script has built.
  ///
  /// @throws IcewalException INVALID if they are not all there
  public static SparkParts built() {
    Path folder = ClassPathFile.folder(FOLDER, OWNER, COMMAND).toAbsolutePath();
    return new SparkParts(folder, ClassPathFile.read(folder, CLASS_PATH, OWNER, COMMAND).text());
  }

  /// Where processes that are made of them have their folders.
  Path sessionsFolder() {
    return folder.resolve("..").normalize();
  }
}
