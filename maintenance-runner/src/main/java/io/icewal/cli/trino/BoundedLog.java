package io.icewal.cli.trino;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// Takes what a process says to a file: when that is full it becomes the older one, in the place of
/// the one before, and a new one is begun. Both together never take more than twice the bound.
final class BoundedLog {
  private static final int PIECE_BYTES = 8 << 10;

  private final Path file;
  private final long bytesMax;

  /// @param bytesMax of each file
  BoundedLog(Path file, long bytesMax) {
    this.file = file;
    this.bytesMax = bytesMax;
  }

  /// Where the older lines are: `server.log.1` for `server.log`.
  Path older() {
    return file.resolveSibling(file.getFileName() + ".1");
  }

  /// Takes everything up to the end. Lines are not cut in two, unless one alone is too long.
  void take(InputStream from) throws IOException {
    byte[] piece = new byte[PIECE_BYTES];
    OutputStream out = Files.newOutputStream(file);
    long written = 0;
    try {
      for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
        if (written + count > bytesMax) {
          int rest = endOfLine(piece, count);
          out.write(piece, 0, rest);
          out.close();
          Files.move(file, older(), StandardCopyOption.REPLACE_EXISTING);
          out = Files.newOutputStream(file);
          out.write(piece, rest, count - rest);
          written = count - rest;
        } else {
          out.write(piece, 0, count);
          written += count;
        }
      }
    } finally {
      out.close();
    }
  }

  /// After the first line end of the piece; 0 if it has none.
  private static int endOfLine(byte[] piece, int count) {
    for (int i = 0; i < count; i++) {
      if (piece[i] == '\n') {
        return i + 1;
      }
    }
    return 0;
  }
}
