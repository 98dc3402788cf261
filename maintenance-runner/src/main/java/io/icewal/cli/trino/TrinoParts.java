package io.icewal.cli.trino;

import io.icewal.cli.parts.ClassPathFile;
import io.icewal.model.IcewalException;
import java.nio.file.Path;
import java.util.List;

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

  private static final String OWNER = "Trino server";
  private static final String COMMAND = "trino";

  /// Those that the `icewal` script has built.
  ///
  /// @throws IcewalException INVALID if they are not all there
  public static TrinoParts built() {
    return in(ClassPathFile.folder(FOLDER, OWNER, COMMAND));
  }

  /// Where servers that are made of them have their folders.
  public Path serversFolder() {
    return folder.toAbsolutePath().resolve("..").normalize();
  }

  /// Those in a folder.
  ///
  /// @throws IcewalException INVALID if they are not all there
  public static TrinoParts in(Path folder) {
    return new TrinoParts(
        folder,
        ClassPathFile.read(folder, SERVER, OWNER, COMMAND).text(),
        ClassPathFile.read(folder, PLUGIN, OWNER, COMMAND).parts());
  }
}
