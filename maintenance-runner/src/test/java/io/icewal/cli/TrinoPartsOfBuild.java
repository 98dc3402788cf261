package io.icewal.cli;

import io.icewal.Sources;
import io.icewal.cli.trino.TrinoParts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The parts of a Trino server as Maven has just compiled and resolved them.
public final class TrinoPartsOfBuild {
  private TrinoPartsOfBuild() {}

  /// Writes the class paths to a folder, as the `icewal` script does.
  ///
  /// @return the JVM option that names it
  public static String write(Path folder) throws IOException {
    Files.createDirectories(folder);
    write("trino-server", TrinoParts.SERVER, folder);
    write("trino-plugin", TrinoParts.PLUGIN, folder);
    return "-D" + TrinoParts.FOLDER + "=" + folder;
  }

  private static void write(String module, String name, Path folder) throws IOException {
    Path target = Sources.root().resolve(module).resolve("target");
    Path libraries = target.resolve(name);
    if (!Files.isReadable(libraries)) {
      throw new IllegalStateException(
          libraries + " is not there; compile the module " + module + " first");
    }
    Files.writeString(
        folder.resolve(name),
        target.resolve("classes") + File.pathSeparator + Files.readString(libraries));
  }
}
