package io.icewal.storage;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.io.SupportsPrefixOperations;

/// Counts what is asked of a table's files, as requests of an object store: a run of bytes read one
/// after the other is one, a file written is one, and so is asking for a length that the caller did
/// not bring. Keys are an operation and a kind of file, such as `read manifest`. Thread-safe.
public final class CountingFileIO implements SupportsPrefixOperations {
  private static final Pattern MANIFEST = Pattern.compile(".*-m\\d+\\.avro");

  private final transient SupportsPrefixOperations inner;
  private final transient Map<String, Integer> counts = new TreeMap<>();
  private final transient Map<String, Long> bytesRead = new TreeMap<>();

  public CountingFileIO(SupportsPrefixOperations inner) {
    this.inner = inner;
  }

  /// Requests since the last [#reset]; what did not happen is left out.
  public synchronized Map<String, Integer> counts() {
    return new TreeMap<>(counts);
  }

  /// Bytes read since the last [#reset], by kind of file.
  public synchronized Map<String, Long> bytesRead() {
    return new TreeMap<>(bytesRead);
  }

  public synchronized void reset() {
    counts.clear();
    bytesRead.clear();
  }

  private synchronized void count(String operation, String location) {
    counts.merge(operation + " " + kind(location), 1, Integer::sum);
  }

  private synchronized void countBytes(String location, long bytes) {
    bytesRead.merge(kind(location), bytes, Long::sum);
  }

  private static String kind(String location) {
    String name = location.substring(location.lastIndexOf('/') + 1);
    if (name.endsWith(".metadata.json")) {
      return "metadata";
    } else if (name.endsWith(".puffin")) {
      return "vectors";
    } else if (MANIFEST.matcher(name).matches()) {
      return "manifest";
    } else if (name.startsWith("snap-")) {
      return "manifest list";
    }
    return "data";
  }

  @Override
  public InputFile newInputFile(String path) {
    return new Input(inner.newInputFile(path), -1);
  }

  @Override
  public InputFile newInputFile(String path, long length) {
    return new Input(inner.newInputFile(path, length), length);
  }

  @Override
  public OutputFile newOutputFile(String path) {
    return new Output(inner.newOutputFile(path));
  }

  @Override
  public void deleteFile(String path) {
    count("delete", path);
    inner.deleteFile(path);
  }

  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    count("list", prefix);
    return inner.listPrefix(prefix);
  }

  @Override
  public void deletePrefix(String prefix) {
    count("delete prefix", prefix);
    inner.deletePrefix(prefix);
  }

  @Override
  public Map<String, String> properties() {
    return inner.properties();
  }

  private final class Input implements InputFile {
    private final InputFile file;
    private final long knownLength;

    Input(InputFile file, long knownLength) {
      this.file = file;
      this.knownLength = knownLength;
    }

    @Override
    public long getLength() {
      if (knownLength >= 0) {
        return knownLength;
      }
      count("length", location());
      return file.getLength();
    }

    @Override
    public boolean exists() {
      count("exists", location());
      return file.exists();
    }

    @Override
    public SeekableInputStream newStream() {
      count("open", location());
      return new Reading(file.newStream(), location());
    }

    @Override
    public String location() {
      return file.location();
    }
  }

  private final class Output implements OutputFile {
    private final OutputFile file;

    Output(OutputFile file) {
      this.file = file;
    }

    @Override
    public PositionOutputStream create() {
      count("write", location());
      return file.create();
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      count("write", location());
      return file.createOrOverwrite();
    }

    @Override
    public String location() {
      return file.location();
    }

    @Override
    public InputFile toInputFile() {
      return new Input(file.toInputFile(), -1);
    }
  }

  private final class Reading extends SeekableInputStream implements RangeReadable {
    private final SeekableInputStream stream;
    private final String location;
    private long end = -1;

    Reading(SeekableInputStream stream, String location) {
      this.stream = stream;
      this.location = location;
    }

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
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (stream.getPos() != end) {
        count("read", location);
      }
      int read = stream.read(into, offset, length);
      countBytes(location, Math.max(0, read));
      end = stream.getPos();
      return read;
    }

    @Override
    public void readFully(long position, byte[] into, int offset, int length) throws IOException {
      count("read", location);
      countBytes(location, length);
      ((RangeReadable) stream).readFully(position, into, offset, length);
    }

    @Override
    public int readTail(byte[] into, int offset, int length) throws IOException {
      count("read", location);
      int read = ((RangeReadable) stream).readTail(into, offset, length);
      countBytes(location, read);
      return read;
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
