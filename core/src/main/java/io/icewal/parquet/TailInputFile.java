package io.icewal.parquet;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.iceberg.io.IOUtil;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;
import org.jspecify.annotations.Nullable;

/// A file of known length whose last bytes (footer and page index) are read at once; what lies
/// before them is read when asked for.
final class TailInputFile implements InputFile {
  private final InputFile file;
  private final long length;
  private final long tailStart;
  private final byte[] tail;

  TailInputFile(InputFile file, long length, int tailBytes) throws IOException {
    this.file = file;
    this.length = length;
    this.tailStart = Math.max(0, length - tailBytes);
    this.tail = new byte[(int) (length - tailStart)];
    try (SeekableInputStream in = file.newStream()) {
      readFully(in, tailStart, tail);
    }
  }

  /// Reads by one exact request where the store can.
  static void readFully(SeekableInputStream in, long position, byte[] bytes) throws IOException {
    readFully(in, position, bytes, 0, bytes.length);
  }

  private static void readFully(
      SeekableInputStream in, long position, byte[] bytes, int offset, int count)
      throws IOException {
    if (in instanceof RangeReadable ranges) {
      ranges.readFully(position, bytes, offset, count);
    } else {
      in.seek(position);
      IOUtil.readFully(in, bytes, offset, count);
    }
  }

  @Override
  public long getLength() {
    return length;
  }

  @Override
  public SeekableInputStream newStream() {
    return new Stream();
  }

  @Override
  public String location() {
    return file.location();
  }

  @Override
  public boolean exists() {
    return true;
  }

  private final class Stream extends SeekableInputStream implements RangeReadable {
    private long position;
    private @Nullable SeekableInputStream before;

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void seek(long newPosition) {
      position = newPosition;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
      if (position >= length) {
        return -1;
      }
      int read;
      if (position >= tailStart) {
        read = (int) Math.min(count, length - position);
        System.arraycopy(tail, (int) (position - tailStart), bytes, offset, read);
      } else {
        SeekableInputStream stream = before();
        stream.seek(position);
        read = stream.read(bytes, offset, (int) Math.min(count, tailStart - position));
      }
      position += Math.max(0, read);
      return read;
    }

    private SeekableInputStream before() {
      SeekableInputStream stream = before;
      if (stream == null) {
        stream = file.newStream();
        before = stream;
      }
      return stream;
    }

    @Override
    public void readFully(long from, byte[] bytes, int offset, int count) throws IOException {
      if (from < 0 || from + count > length) {
        throw new EOFException(
            file.location() + " has " + length + " bytes, " + (from + count) + " wanted");
      }
      int missing = (int) Math.min(count, Math.max(0, tailStart - from));
      if (missing > 0) {
        TailInputFile.readFully(before(), from, bytes, offset, missing);
      }
      if (missing < count) {
        int start = (int) (from + missing - tailStart);
        System.arraycopy(tail, start, bytes, offset + missing, count - missing);
      }
    }

    @Override
    public int readTail(byte[] bytes, int offset, int count) throws IOException {
      int wanted = (int) Math.min(count, length);
      readFully(length - wanted, bytes, offset, wanted);
      return wanted;
    }

    @Override
    public void close() {
      try {
        if (before != null) {
          before.close();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
