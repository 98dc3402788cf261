package io.icewal.parquet;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.io.DelegatingPositionOutputStream;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.SeekableInputStream;

/// Iceberg's files in the form in which parquet-java takes them. No file system of Hadoop's is
/// involved.
final class IcebergFiles {
  private IcebergFiles() {}

  static OutputFile output(org.apache.iceberg.io.OutputFile file) {
    return new Output(file);
  }

  static InputFile input(org.apache.iceberg.io.InputFile file) {
    return new Input(file);
  }

  /// Options over an empty configuration: the default one would parse XML files for every data
  /// file, which costs more than a small file itself.
  static ParquetReadOptions readOptions() {
    return HadoopReadOptions.builder(new Configuration(false)).build();
  }

  private record Output(org.apache.iceberg.io.OutputFile file) implements OutputFile {
    @Override
    public PositionOutputStream create(long blockSizeHint) {
      return new Out(file.create());
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint) {
      return new Out(file.createOrOverwrite());
    }

    @Override
    public boolean supportsBlockSize() {
      return false;
    }

    @Override
    public long defaultBlockSize() {
      return 0;
    }
  }

  private static final class Out extends DelegatingPositionOutputStream {
    private final org.apache.iceberg.io.PositionOutputStream stream;

    Out(org.apache.iceberg.io.PositionOutputStream stream) {
      super(stream);
      this.stream = stream;
    }

    @Override
    public long getPos() throws IOException {
      return stream.getPos();
    }
  }

  private record Input(org.apache.iceberg.io.InputFile file) implements InputFile {
    @Override
    public long getLength() {
      return file.getLength();
    }

    @Override
    public SeekableInputStream newStream() {
      return new In(file.newStream());
    }

    @Override
    public String toString() {
      return file.location();
    }
  }

  private static final class In extends DelegatingSeekableInputStream {
    private final org.apache.iceberg.io.SeekableInputStream stream;

    In(org.apache.iceberg.io.SeekableInputStream stream) {
      super(stream);
      this.stream = stream;
    }

    @Override
    public long getPos() throws IOException {
      return stream.getPos();
    }

    @Override
    public void seek(long position) throws IOException {
      stream.seek(position);
    }
  }
}
