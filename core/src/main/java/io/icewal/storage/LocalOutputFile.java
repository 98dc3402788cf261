package io.icewal.storage;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;

/// A local file to write: there as a whole once its stream is closed, and not before.
final class LocalOutputFile implements OutputFile {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final String location;
  private final Path path;
  private final DurableFiles files;

  LocalOutputFile(String location, Path path, DurableFiles files) {
    this.location = location;
    this.path = path;
    this.files = files;
  }

  @Override
  public PositionOutputStream create() {
    if (Files.exists(path)) {
      throw new AlreadyExistsException("file already exists: %s", location);
    }
    return open(false);
  }

  @Override
  public PositionOutputStream createOrOverwrite() {
    return open(true);
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public InputFile toInputFile() {
    return new LocalInputFile(location, path);
  }

  @Override
  public String toString() {
    return location;
  }

  private PositionOutputStream open(boolean overwrite) {
    Path folder = DurableFiles.folderOf(path);
    try {
      if (!Files.isDirectory(folder)) {
        files.forgetFolders(); // Somebody may have dropped the table that it was made for.
      }
      files.createFolder(folder);
      Path temporary = files.createTemporary(folder, path.getFileName() + ".");
      return new Stream(temporary, new FileOutputStream(temporary.toFile()), overwrite);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create " + location, e);
    }
  }

  private void publish(Path temporary, boolean overwrite) throws IOException {
    if (overwrite) {
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
      files.syncFolder(DurableFiles.folderOf(path));
      return;
    }
    boolean created = files.link(temporary, path);
    Files.deleteIfExists(temporary);
    if (!created) {
      throw new AlreadyExistsException("file already exists: %s", location);
    }
  }

  /// Not thread-safe.
  private final class Stream extends PositionOutputStream {
    private final Path temporary;
    private final FileOutputStream file;
    private final BufferedOutputStream out;
    private final boolean overwrite;
    private long position;
    private boolean closed;

    Stream(Path temporary, FileOutputStream file, boolean overwrite) {
      this.temporary = temporary;
      this.file = file;
      this.out = new BufferedOutputStream(file, BUFFER_BYTES);
      this.overwrite = overwrite;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
      position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      position += length;
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      try (file) {
        out.flush();
        file.getFD().sync();
      }
      publish(temporary, overwrite);
    }
  }
}
