package io.icewal.storage;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Objects as files below a folder, safe for any number of processes on it, and durable: a put
/// returns when file and name would survive a power cut ([DurableFiles]).
///
/// Put-if-absent rests on link(2), which is atomic and never replaces a name; a rename would.
/// Temporary files stand in one folder whose name no key can have, so that lists pass them over;
/// those left by a crash are removed when the store is next opened.
///
/// Folders are never removed, even when empty: another process may be about to use one. A reader
/// can see an object a moment before its name is durable; what it then writes itself is durable
/// only after that, as ext4 and XFS keep the order of changes.
///
/// Thread-safe.
public final class LocalObjectStore implements ObjectStore {
  /// Not a character that a key may have.
  static final String TEMPORARY_FOLDER = "~tmp";

  /// A put that takes longer than this loses its temporary file to a newly opened store and ends as
  /// unknown. Puts take seconds.
  private static final Duration TEMPORARY_AGE_MAX = Duration.ofHours(1);

  private final Path root;
  private final Path temporaryFolder;
  private final DurableFiles files = new DurableFiles();

  private LocalObjectStore(Path root) {
    this.root = root;
    this.temporaryFolder = root.resolve(TEMPORARY_FOLDER);
  }

  /// Opens the store below a folder, which is created if missing.
  ///
  /// @throws IcewalException UNAVAILABLE if the folder cannot be used, or its file system has no
  ///   hard links
  public static LocalObjectStore open(Path root) {
    LocalObjectStore store = new LocalObjectStore(root.toAbsolutePath().normalize());
    try {
      store.files.createFolder(store.temporaryFolder);
      store.removeLeftovers();
    } catch (IOException | UnsupportedOperationException e) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "cannot use the folder " + root + ", it must be one that can be made and written: " + e,
          e);
    }
    return store;
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    Path target = path(key);
    try {
      if (Files.isRegularFile(target)) {
        files.syncFolder(DurableFiles.folderOf(target));
        return PutOutcome.EXISTS;
      }
      Path temporary = write(target, parts);
      try {
        return files.link(temporary, target) ? PutOutcome.CREATED : PutOutcome.EXISTS;
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      files.forgetFolders();
      return new PutOutcome.Unknown(failed("put", key, e));
    }
  }

  @Override
  public void put(String key, byte[] bytes) {
    Path target = path(key);
    try {
      Path temporary = write(target, List.of(bytes));
      try {
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(temporary);
      }
      files.syncFolder(DurableFiles.folderOf(target));
    } catch (IOException e) {
      files.forgetFolders();
      throw failed("put", key, e);
    }
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    Path path = path(key);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      if (!attributes.isRegularFile()) {
        return Optional.empty();
      }
      long size = channel.size();
      long from = range.from(size);
      byte[] bytes = read(channel, from, Math.toIntExact(range.to(size) - from));
      return Optional.of(new StoredBytes(bytes, from, meta(key, size, attributes)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw failed("get", key, e);
    }
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path(key), BasicFileAttributes.class);
      return attributes.isRegularFile()
          ? Optional.of(meta(key, attributes.size(), attributes))
          : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw failed("head", key, e);
    }
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    ObjectKeys.checkPrefix(prefix);
    ObjectKeys.checkPrefix(startAfter);
    try {
      return new LocalListing(root, prefix, startAfter, max).list();
    } catch (IOException e) {
      throw failed("list", prefix, e);
    }
  }

  @Override
  public void delete(Collection<String> keys) {
    for (String key : keys) {
      Path path = path(key);
      try {
        if (!Files.isDirectory(path)) {
          Files.deleteIfExists(path);
        }
      } catch (IOException e) {
        throw failed("delete", key, e);
      }
    }
  }

  @Override
  public String describe() {
    return root.toString();
  }

  @Override
  public void close() {}

  static ObjectMeta meta(String key, long size, BasicFileAttributes attributes) {
    return new ObjectMeta(key, size, attributes.lastModifiedTime().toInstant());
  }

  private Path path(String key) {
    return root.resolve(ObjectKeys.check(key));
  }

  private Path write(Path target, List<byte[]> parts) throws IOException {
    files.createFolder(DurableFiles.folderOf(target));
    Path temporary = files.createTemporary(temporaryFolder, "");
    try {
      files.write(temporary, parts);
      return temporary;
    } catch (IOException e) {
      Files.deleteIfExists(temporary);
      throw e;
    }
  }

  private static byte[] read(FileChannel channel, long from, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    FileReads.readFully(channel, from, buffer);
    return buffer.array();
  }

  /// Age is told by the file system's own clock: that of a file made just now. The same file shows
  /// whether the file system has hard links.
  private void removeLeftovers() throws IOException {
    Path probe = files.createTemporary(temporaryFolder, "");
    Path link = temporaryFolder.resolve(probe.getFileName() + ".link");
    Files.createLink(link, probe);
    Files.delete(link);
    Instant oldest = Files.getLastModifiedTime(probe).toInstant().minus(TEMPORARY_AGE_MAX);
    Files.delete(probe);
    try (DirectoryStream<Path> temporaries = Files.newDirectoryStream(temporaryFolder)) {
      for (Path temporary : temporaries) {
        removeIfOlder(temporary, oldest);
      }
    }
  }

  private static void removeIfOlder(Path temporary, Instant oldest) throws IOException {
    try {
      if (Files.getLastModifiedTime(temporary).toInstant().isBefore(oldest)) {
        Files.deleteIfExists(temporary);
      }
    } catch (NoSuchFileException e) {
      // Its owner, or another store that was opened at the same time, has removed it.
      return;
    }
  }

  private IcewalException failed(String operation, String key, Exception cause) {
    return new IcewalException(
        ErrorKind.UNAVAILABLE,
        "cannot " + operation + " '" + key + "' in " + root + ": " + cause,
        cause);
  }
}
