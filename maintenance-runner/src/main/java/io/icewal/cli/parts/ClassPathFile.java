package io.icewal.cli.parts;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A file that holds a class path, as the build resolved it.
///
/// @param parts in their order, each of which is there
public record ClassPathFile(List<Path> parts) {
  /// Reads one.
  ///
  /// @param folder where it lies
  /// @param owner what it is a part of, for messages: `Trino server`
  /// @param command the command that builds it: `trino`
  /// @throws IcewalException INVALID if it is not there, or not all of what it names
  public static ClassPathFile read(Path folder, String name, String owner, String command) {
    Path file = folder.resolve(name);
    String text;
    try {
      text = Files.readString(file).strip();
    } catch (IOException e) {
      throw missing(file, owner, command, e);
    }
    List<Path> parts = Arrays.stream(text.split(File.pathSeparator)).map(Path::of).toList();
    for (Path part : parts) {
      if (!Files.isReadable(part)) {
        throw missing(part, owner, command, null);
      }
    }
    return new ClassPathFile(parts);
  }

  /// As a JVM takes it.
  public String text() {
    return String.join(File.pathSeparator, parts.stream().map(Path::toString).toList());
  }

  /// The folder of the files, which the `icewal` script tells by a system property.
  ///
  /// @throws IcewalException INVALID if it did not
  public static Path folder(String property, String owner, String command) {
    String folder = System.getProperty(property, "");
    if (folder.isEmpty()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "the %s is not built; './icewal %s' of the source folder builds it first"
              .formatted(owner, command));
    }
    return Path.of(folder);
  }

  private static IcewalException missing(
      Path part, String owner, String command, @Nullable Throwable e) {
    return new IcewalException(
        ErrorKind.INVALID,
        "a part of the %s is missing: %s; remove its folder in target/run and run './icewal %s' again to build it"
            .formatted(owner, part, command),
        e);
  }
}
