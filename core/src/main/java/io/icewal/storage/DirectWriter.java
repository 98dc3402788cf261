package io.icewal.storage;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes large files without a copy of them in the page cache (direct I/O).
///
/// Bytes that are written once and made durable at once gain nothing from the cache. Filling it
/// costs a copy and fresh pages, which in a virtual machine are often memory that the host has yet
/// to provide: three to ten times the CPU of all else that a write takes. Whoever reads the file
/// soon has to fetch it from the disk, so small files, which keep fresh reads quick, do not come
/// here.
///
/// Direct writes start and end at multiples of a block; what remains goes through the cache. Not
/// every file system takes them: what fails directly and succeeds through the cache ends the
/// attempts of this writer for good.
///
/// Thread-safe.
final class DirectWriter {
  /// A multiple of every block size that is in use on local disks.
  private static final int ALIGNMENT_BYTES = 16 << 10;

  private static final int BUFFER_BYTES = 1 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(DirectWriter.class);

  private final OpenOption direct;

  /// One buffer is kept for the next write; concurrent ones make their own.
  private final AtomicReference<@Nullable ByteBuffer> spare = new AtomicReference<>();

  private volatile boolean refused;

  DirectWriter() {
    this(ExtendedOpenOption.DIRECT);
  }

  /// @param direct opens a file for direct I/O, or is refused
  DirectWriter(OpenOption direct) {
    this.direct = direct;
  }

  /// Whether direct I/O may be tried.
  boolean isUsable() {
    return !refused;
  }

  /// Says that a write failed that succeeds through the cache: no other one is tried.
  void giveUp(Path file, Exception cause) {
    LOG.info(
        "no direct I/O to {}, large files go through the page cache: {}", file, cause.toString());
    refused = true;
  }

  /// Writes parts one after the other into an empty file, durably.
  ///
  /// @throws IOException if the file cannot be written, or not so: what it has then is undefined
  /// @throws UnsupportedOperationException if direct I/O is not to be had
  void write(Path file, Iterable<byte[]> parts) throws IOException {
    ByteBuffer kept = spare.getAndSet(null);
    ByteBuffer buffer = kept == null ? allocate() : kept;
    try {
      write(file, parts, buffer.clear());
    } finally {
      spare.set(buffer);
    }
  }

  private static ByteBuffer allocate() {
    return ByteBuffer.allocateDirect(BUFFER_BYTES + ALIGNMENT_BYTES).alignedSlice(ALIGNMENT_BYTES);
  }

  private void write(Path file, Iterable<byte[]> parts, ByteBuffer buffer) throws IOException {
    long written;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, direct)) {
      for (byte[] part : parts) {
        fill(channel, buffer, part);
      }
      buffer.flip();
      int rest = buffer.limit() % ALIGNMENT_BYTES;
      buffer.limit(buffer.limit() - rest);
      drain(channel, buffer);
      buffer.limit(buffer.limit() + rest);
      written = channel.position();
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.position(written);
      drain(channel, buffer);
      channel.force(true);
    }
  }

  /// Collects bytes; writes whenever the buffer is full.
  private static void fill(FileChannel channel, ByteBuffer buffer, byte[] part) throws IOException {
    int at = 0;
    while (at < part.length) {
      if (!buffer.hasRemaining()) {
        drain(channel, buffer.flip());
        buffer.clear();
      }
      int piece = Math.min(buffer.remaining(), part.length - at);
      buffer.put(part, at, piece);
      at += piece;
    }
  }

  private static void drain(FileChannel channel, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }
}
