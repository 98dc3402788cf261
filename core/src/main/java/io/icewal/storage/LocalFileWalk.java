package io.icewal.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.iceberg.io.FileInfo;
import org.jspecify.annotations.Nullable;

/// All files below a folder, or all whose path begins like the given one. Holds the names of one
/// branch of the tree at a time; passes over what is deleted meanwhile; follows no links.
final class LocalFileWalk implements Iterator<FileInfo> {
  private final Deque<Path> waiting = new ArrayDeque<>();
  private final String scheme;
  private @Nullable FileInfo next;

  /// @param scheme written before each path to make it a location again
  LocalFileWalk(Path prefix, String scheme) {
    this.scheme = scheme;
    if (Files.isDirectory(prefix)) {
      waiting.push(prefix);
    } else {
      Path folder = DurableFiles.folderOf(prefix);
      addAll(folder, String.valueOf(prefix.getFileName()));
    }
  }

  @Override
  public boolean hasNext() {
    while (next == null && !waiting.isEmpty()) {
      visit(waiting.pop());
    }
    return next != null;
  }

  @Override
  public FileInfo next() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException();
    }
    FileInfo info = next;
    next = null;
    return info;
  }

  private void visit(Path path) {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (attributes.isDirectory()) {
        addAll(path, "");
      } else if (attributes.isRegularFile()) {
        next =
            new FileInfo(
                scheme + path, attributes.size(), attributes.lastModifiedTime().toMillis());
      }
    } catch (NoSuchFileException e) {
      next = null; // Deleted since its name was read.
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + path, e);
    }
  }

  private void addAll(Path folder, String namePrefix) {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        if (String.valueOf(entry.getFileName()).startsWith(namePrefix)) {
          waiting.push(entry);
        }
      }
    } catch (NoSuchFileException e) {
      next = null; // Deleted since its name was read.
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException("cannot list " + folder, e.getCause());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + folder, e);
    }
  }
}
