package io.icewal.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;

/// A local file to read. Each stream has its own position; whole ranges are read in one call each.
final class LocalInputFile implements InputFile {
  private final String location;
  private final Path path;

  LocalInputFile(String location, Path path) {
    this.location = location;
    this.path = path;
  }

  @Override
  public long getLength() {
    try {
      return Files.size(path);
    } catch (NoSuchFileException e) {
      throw new NotFoundException(e, "file does not exist: %s", location);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the size of " + location, e);
    }
  }

  @Override
  public SeekableInputStream newStream() {
    try {
      return new Stream(FileChannel.open(path, StandardOpenOption.READ));
    } catch (NoSuchFileException e) {
      throw new NotFoundException(e, "file does not exist: %s", location);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open " + location, e);
    }
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public boolean exists() {
    return Files.isRegularFile(path);
  }

  @Override
  public String toString() {
    return location;
  }

  /// Not thread-safe, but for [RangeReadable]'s methods.
  private static final class Stream extends SeekableInputStream implements RangeReadable {
    private final FileChannel channel;

    Stream(FileChannel channel) {
      this.channel = channel;
    }

    @Override
    public long getPos() throws IOException {
      return channel.position();
    }

    @Override
    public void seek(long position) throws IOException {
      channel.position(position);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return length == 0 ? 0 : FileReads.read(channel, bytes, offset, length);
    }

    @Override
    public long skip(long count) throws IOException {
      long from = channel.position();
      long to = Math.min(channel.size(), from + Math.max(0, count));
      channel.position(Math.max(from, to));
      return Math.max(0, to - from);
    }

    @Override
    public int available() throws IOException {
      return (int) Math.min(Integer.MAX_VALUE, Math.max(0, channel.size() - channel.position()));
    }

    @Override
    public void readFully(long position, byte[] bytes, int offset, int length) throws IOException {
      FileReads.readFully(channel, position, ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public int readTail(byte[] bytes, int offset, int length) throws IOException {
      int wanted = (int) Math.min(length, channel.size());
      readFully(channel.size() - wanted, bytes, offset, wanted);
      return wanted;
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
