package io.icewal.storage;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Files that are whole or not there, and still there after a power cut.
///
/// A new file takes four steps: (1) write it under a temporary name, (2) fsync it, (3) link or
/// rename it to its final name, (4) fsync the folder. A crash before (3) leaves a temporary file; a
/// crash before (4) may lose the file, and nobody was told yet that it is there.
///
/// A file is only as durable as the folders above it, and one that exists may have been made by
/// another process a moment ago, without its fsync yet. So the first use of a folder in this
/// process fsyncs each folder above it, and the folders done are remembered.
///
/// Thread-safe.
final class DurableFiles {
  private static final int FOLDERS_REMEMBERED_MAX = 4_096;

  /// Files of this size come from a load that writes one after the other. Smaller ones stay in the
  /// page cache for those who read what was just written.
  private static final int DIRECT_BYTES_MIN = 1 << 20;

  private final Set<Path> durableFolders = ConcurrentHashMap.newKeySet();
  private final AtomicLong temporaries = new AtomicLong();
  private final DirectWriter direct;

  DurableFiles() {
    this(new DirectWriter());
  }

  DurableFiles(DirectWriter direct) {
    this.direct = direct;
  }

  /// Makes sure that a folder exists and that its name survives a power cut, with all above it.
  void createFolder(Path folder) throws IOException {
    if (durableFolders.contains(folder)) {
      return;
    }
    Path parent = folder.getParent();
    if (parent != null) {
      createFolder(parent);
      boolean created = createIfMissing(folder);
      syncParent(parent, created);
    }
    if (durableFolders.size() >= FOLDERS_REMEMBERED_MAX) {
      durableFolders.clear();
    }
    durableFolders.add(folder);
  }

  /// Makes the names in a folder survive a power cut.
  void syncFolder(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /// Forgets all folders, after one turned out to be gone: those above it may be gone too.
  void forgetFolders() {
    durableFolders.clear();
  }

  /// A new, empty file that nobody else writes to. The name cannot clash with that of a live or a
  /// crashed process: it is taken by an exclusive create.
  Path createTemporary(Path folder, String prefix) throws IOException {
    String process = prefix + ProcessHandle.current().pid() + "-";
    while (true) {
      Path path = folder.resolve(process + temporaries.incrementAndGet() + ".tmp");
      try {
        return Files.createFile(path);
      } catch (FileAlreadyExistsException e) {
        // Left by a crashed process of the same id, or of another host's: never touched here, its
        // bytes may be linked to a final name already.
        continue;
      }
    }
  }

  /// Writes bytes to a temporary file, durably.
  void write(Path temporary, List<byte[]> parts) throws IOException {
    long bytes = parts.stream().mapToLong(part -> part.length).sum();
    if (bytes < DIRECT_BYTES_MIN || !direct.isUsable()) {
      writeCached(temporary, parts);
      return;
    }
    try {
      direct.write(temporary, parts);
    } catch (IOException | UnsupportedOperationException e) {
      // A full disk fails once more here, and says nothing about direct I/O.
      writeCached(temporary, parts);
      direct.giveUp(temporary, e);
    }
  }

  private static void writeCached(Path temporary, List<byte[]> parts) throws IOException {
    try (FileOutputStream out = new FileOutputStream(temporary.toFile())) {
      for (byte[] part : parts) {
        out.write(part);
      }
      out.getFD().sync();
    }
  }

  /// Gives a written file its final name unless the name is taken. Either way the name is durable
  /// when this returns: who is told "it exists" may rely on it as much as its creator.
  ///
  /// @return false if the name is taken
  boolean link(Path temporary, Path target) throws IOException {
    boolean created = true;
    try {
      Files.createLink(target, temporary);
    } catch (FileAlreadyExistsException e) {
      if (Files.isDirectory(target)) {
        throw e;
      }
      created = false;
    }
    syncFolder(folderOf(target));
    return created;
  }

  /// The folder of a file. An absolute file always has one.
  static Path folderOf(Path file) {
    @Nullable Path folder = file.getParent();
    if (folder == null) {
      throw new IllegalArgumentException("not a file within a folder: " + file);
    }
    return folder;
  }

  private static boolean createIfMissing(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return false;
    }
    try {
      Files.createDirectory(folder);
      return true;
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
      return false;
    }
  }

  private void syncParent(Path parent, boolean created) throws IOException {
    try {
      syncFolder(parent);
    } catch (AccessDeniedException e) {
      // A system folder that may be passed but not read, such as /home on some hosts. What stands
      // in it was there before us.
      if (created) {
        throw e;
      }
    }
  }
}
