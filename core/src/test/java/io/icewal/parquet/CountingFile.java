package io.icewal.parquet;

import java.io.IOException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/// Counts the bytes and the runs of bytes that are read.
final class CountingFile implements InputFile {
  private final InputFile file;
  long bytes;
  int requests;

  CountingFile(InputFile file) {
    this.file = file;
  }

  @Override
  public long getLength() {
    return file.getLength();
  }

  @Override
  public String location() {
    return file.location();
  }

  @Override
  public boolean exists() {
    return file.exists();
  }

  @Override
  public SeekableInputStream newStream() {
    SeekableInputStream stream = file.newStream();
    return new SeekableInputStream() {
      private long end = -1;

      @Override
      public long getPos() throws IOException {
        return stream.getPos();
      }

      @Override
      public void seek(long position) throws IOException {
        stream.seek(position);
      }

      @Override
      public int read() throws IOException {
        throw new UnsupportedOperationException("reads single bytes");
      }

      @Override
      public int read(byte[] into, int offset, int length) throws IOException {
        if (stream.getPos() != end) {
          requests++;
        }
        int read = stream.read(into, offset, length);
        bytes += Math.max(0, read);
        end = stream.getPos();
        return read;
      }

      @Override
      public void close() throws IOException {
        stream.close();
      }
    };
  }
}
