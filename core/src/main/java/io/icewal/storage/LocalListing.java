package io.icewal.storage;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/// One list over a folder tree, in the byte order of full keys.
///
/// 1. Begin in the deepest folder that the prefix names.
/// 2. Read a folder's names; drop those that can hold nothing wanted, without looking at them.
/// 3. Take the names in order. A name may be a file (`a`) or a folder (`a/`), and other names can
///    stand between the two (`a-b`, `a.b`); so each name waits under its smaller form, and a name
///    found to be a folder waits once more under its larger one.
/// 4. A folder whose turn it is is listed in the same way. Stop at `max` objects.
///
/// So a list after a known key in dense, bucketed names reads two or three folders, and looks at no
/// more files than it returns. Used once, by one thread.
final class LocalListing {
  /// @param key the full key; with a `/` at its end once known to be a folder
  private record Candidate(String key, boolean folder) implements Comparable<Candidate> {
    @Override
    public int compareTo(Candidate other) {
      return key.compareTo(other.key);
    }
  }

  private final Path root;
  private final String prefix;
  private final String startAfter;
  private final int max;
  private final List<ObjectMeta> found = new ArrayList<>();

  LocalListing(Path root, String prefix, String startAfter, int max) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be >= 1, got " + max);
    }
    this.root = root;
    this.prefix = prefix;
    this.startAfter = startAfter;
    this.max = max;
  }

  List<ObjectMeta> list() throws IOException {
    listFolder(prefix.substring(0, prefix.lastIndexOf('/') + 1));
    return found;
  }

  private void listFolder(String folder) throws IOException {
    PriorityQueue<Candidate> waiting = candidates(folder);
    while (!waiting.isEmpty() && found.size() < max) {
      Candidate next = waiting.remove();
      if (next.folder()) {
        listFolder(next.key());
      } else if (Files.isDirectory(root.resolve(next.key()))) {
        waiting.add(new Candidate(next.key() + "/", true));
      } else {
        addFile(next.key());
      }
    }
  }

  private PriorityQueue<Candidate> candidates(String folder) throws IOException {
    PriorityQueue<Candidate> waiting = new PriorityQueue<>();
    try (DirectoryStream<Path> names = Files.newDirectoryStream(root.resolve(folder))) {
      for (Path name : names) {
        String key = folder + name.getFileName();
        if (!key.equals(LocalObjectStore.TEMPORARY_FOLDER) && isPromising(key)) {
          waiting.add(new Candidate(key, false));
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return new PriorityQueue<>();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return waiting;
  }

  /// Whether `key`, or a key below `key/`, can be in the answer.
  private boolean isPromising(String key) {
    String below = key + "/";
    boolean inPrefix = key.startsWith(prefix) || prefix.startsWith(below);
    boolean after =
        key.compareTo(startAfter) > 0
            || below.compareTo(startAfter) > 0
            || startAfter.startsWith(below);
    return inPrefix && after;
  }

  private void addFile(String key) throws IOException {
    if (!key.startsWith(prefix) || key.compareTo(startAfter) <= 0) {
      return;
    }
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(root.resolve(key), BasicFileAttributes.class);
      found.add(LocalObjectStore.meta(key, attributes.size(), attributes));
    } catch (NoSuchFileException e) {
      // Deleted between the reading of its name and now: not there, then.
      return;
    }
  }
}
