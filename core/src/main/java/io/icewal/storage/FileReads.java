package io.icewal.storage;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/// Reads of files into arrays, piece by piece. For each read into an array the JDK takes a direct
/// buffer of the read's size, and older ones keep it as long as the thread lives: reads of whole
/// segments by some threads would take all direct memory that the JVM has.
final class FileReads {
  private static final int PIECE_BYTES_MAX = 256 << 10;

  private FileReads() {}

  /// Reads until the buffer is full. Leaves the channel's position as it is. Thread-safe.
  ///
  /// @param buffer of an array
  /// @throws EOFException if the file ends before
  static void readFully(FileChannel channel, long position, ByteBuffer buffer) throws IOException {
    int first = buffer.position();
    int end = buffer.limit();
    while (buffer.position() < end) {
      buffer.limit(Math.min(end, buffer.position() + PIECE_BYTES_MAX));
      if (channel.read(buffer, position + buffer.position() - first) < 0) {
        throw new EOFException(
            "file has " + channel.size() + " bytes, " + (position + end - first) + " wanted");
      }
      buffer.limit(end);
    }
  }

  /// Reads what there is, at most one piece, from the channel's position on.
  ///
  /// @return the number of bytes, or -1 at the file's end
  static int read(FileChannel channel, byte[] bytes, int offset, int length) throws IOException {
    return channel.read(ByteBuffer.wrap(bytes, offset, Math.min(length, PIECE_BYTES_MAX)));
  }
}
