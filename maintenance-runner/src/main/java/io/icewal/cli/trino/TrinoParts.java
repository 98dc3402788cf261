package io.icewal.cli.trino;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a Trino server is made of, as the build resolved it: files that hold a class path each.
///
/// @param folder where the files lie
/// @param server the class path of the server's JVM
/// @param plugin what goes into the plugin folder of connector `icewal`
public record TrinoParts(Path folder, String server, List<Path> plugin) {
  /// Set by the `icewal` script to the folder that holds the files.
  public static final String FOLDER = "icewal.trino";

  public static final String SERVER = "server.classpath";
  public static final String PLUGIN = "plugin.classpath";

  /// Those that the `icewal` script has built.
  ///
  /// @throws IcewalException INVALID if they are not all there
  public static TrinoParts built() {
    String folder = System.getProperty(FOLDER, "");
    if (folder.isEmpty()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "the Trino server is not built; './icewal trino' of the source folder builds it first");
    }
    return in(Path.of(folder));
  }

  /// Where servers that are made of them have their folders.
  public Path serversFolder() {
    return folder.toAbsolutePath().resolve("..").normalize();
  }

  /// Those in a folder.
  ///
  /// @throws IcewalException INVALID if they are not all there
  public static TrinoParts in(Path folder) {
    String server = read(folder.resolve(SERVER));
    String plugin = read(folder.resolve(PLUGIN));
    requireThere(server);
    requireThere(plugin);
    return new TrinoParts(folder, server, paths(plugin));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw missing(file, e);
    }
  }

  private static void requireThere(String classPath) {
    for (Path part : paths(classPath)) {
      if (!Files.isReadable(part)) {
        throw missing(part, null);
      }
    }
  }

  private static List<Path> paths(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator)).map(Path::of).toList();
  }

  private static IcewalException missing(Path part, @Nullable Throwable e) {
    return new IcewalException(
        ErrorKind.INVALID,
        "a part of the Trino server is missing: "
            + part
            + "; remove the folder target/run/trino and run './icewal trino' again to build it",
        e);
  }
}
