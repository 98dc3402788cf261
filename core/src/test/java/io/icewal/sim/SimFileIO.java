package io.icewal.sim;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;

/// A table's files in memory; opening and closing one is a point of the schedule. A file is there
/// whole or not at all, as on object storage.
final class SimFileIO implements FileIO {
  private final transient Map<String, byte[]> files = new ConcurrentHashMap<>();
  private final transient Schedule schedule;
  private final transient Faults faults;

  SimFileIO(Schedule schedule, Faults faults) {
    this.schedule = schedule;
    this.faults = faults;
  }

  @Override
  public InputFile newInputFile(String path) {
    schedule.point("open " + path);
    if (!schedule.who().isEmpty() && faults.readFails("open file")) {
      throw new UncheckedIOException(new IOException("simulated: open " + path));
    }
    byte[] bytes = files.get(path);
    if (bytes == null) {
      return new MissingFile(path);
    }
    return new InMemoryInputFile(path, bytes);
  }

  @Override
  public OutputFile newOutputFile(String path) {
    return new Output(path);
  }

  @Override
  public void deleteFile(String path) {
    schedule.point("delete " + path);
    files.remove(path);
  }

  /// The files as the oracle sees them: no point, no fault.
  FileIO unobserved() {
    return new Unobserved();
  }

  private final class Unobserved implements FileIO {
    @Override
    public InputFile newInputFile(String path) {
      byte[] bytes = files.get(path);
      return bytes == null ? new MissingFile(path) : new InMemoryInputFile(path, bytes);
    }

    @Override
    public OutputFile newOutputFile(String path) {
      throw new AssertionError("the oracle does not write");
    }

    @Override
    public void deleteFile(String path) {
      throw new AssertionError("the oracle does not delete");
    }
  }

  private final class Output implements OutputFile {
    private final String path;

    Output(String path) {
      this.path = path;
    }

    @Override
    public PositionOutputStream create() {
      if (files.containsKey(path)) {
        throw new AlreadyExistsException("Already exists: %s", path);
      }
      return createOrOverwrite();
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return new Stream(path);
    }

    @Override
    public String location() {
      return path;
    }

    @Override
    public InputFile toInputFile() {
      return newInputFile(path);
    }
  }

  private final class Stream extends PositionOutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final String path;
    private boolean closed;

    Stream(String path) {
      this.path = path;
    }

    @Override
    public long getPos() {
      return bytes.size();
    }

    @Override
    public void write(int b) {
      bytes.write(b);
    }

    @Override
    public void write(byte[] b, int off, int len) {
      bytes.write(b, off, len);
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      schedule.point("write " + path);
      switch (schedule.who().isEmpty() ? Faults.Fate.ARRIVES : faults.fateOfWrite("write file")) {
        case ARRIVES -> files.put(path, bytes.toByteArray());
        case LOST_ANSWER, TRAVELS -> {
          files.put(path, bytes.toByteArray());
          throw new IOException("simulated: write " + path);
        }
        case FAILS -> throw new IOException("simulated: write " + path);
      }
    }
  }

  private record MissingFile(String location) implements InputFile {
    @Override
    public long getLength() {
      throw new NotFoundException("No file: %s", location);
    }

    @Override
    public org.apache.iceberg.io.SeekableInputStream newStream() {
      throw new NotFoundException("No file: %s", location);
    }

    @Override
    public boolean exists() {
      return false;
    }
  }
}
