package io.icewal.cli;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/// Opens what stands on the command line where a file is expected.
final class InputFiles {
  static final String STANDARD_INPUT = "-";

  private InputFiles() {}

  /// Opens a file, or standard input for `-`, and unpacks gzip, which is told by its first two
  /// bytes.
  static InputStream open(String name, Terminal terminal) throws IOException {
    return unpacked(raw(name, terminal));
  }

  /// All of it, as UTF-8.
  static String text(String name, Terminal terminal) throws IOException {
    try (InputStream in = open(name, terminal)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /// The bytes as they are. Closing standard input is left to the process.
  static InputStream raw(String name, Terminal terminal) throws IOException {
    if (name.equals(STANDARD_INPUT)) {
      return new FilterInputStream(terminal.in()) {
        @Override
        public void close() {}
      };
    }
    refuseFolder(name);
    return Files.newInputStream(Path.of(name));
  }

  static void refuseFolder(String name) {
    if (Files.isDirectory(Path.of(name))) {
      throw new IcewalException(ErrorKind.INVALID, name + " is a folder, expected a file");
    }
  }

  static InputStream unpacked(InputStream raw) throws IOException {
    BufferedInputStream in = new BufferedInputStream(raw, 1 << 16);
    in.mark(2);
    int first = in.read();
    int second = in.read();
    in.reset();
    return first == 0x1f && second == 0x8b ? new GZIPInputStream(in, 1 << 16) : in;
  }
}
