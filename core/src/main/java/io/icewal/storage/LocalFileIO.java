package io.icewal.storage;

import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.io.BulkDeletionFailureException;
import org.apache.iceberg.io.DelegateFileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/// Table files on a local disk: `file:` URIs and plain absolute paths. Use it by name:
/// `catalog.io-impl=io.icewal.storage.LocalFileIO`.
///
/// A file is written under a temporary name beside its final one, fsynced, given its final name,
/// and its folder fsynced ([DurableFiles]): when a commit names a file, the file survives a power
/// cut, and a crash leaves no torn file under a final name. Temporary names end in `.tmp`;
/// [#listPrefix] shows them, so that orphan removal takes those of crashes.
///
/// Paths are taken literally, as by other engines: `%20` in a location is three characters.
///
/// Thread-safe, and serializable, as engines ship it to their workers.
public final class LocalFileIO implements DelegateFileIO {
  private static final long serialVersionUID = 1L;

  private Map<String, String> properties = Map.of();
  private transient DurableFiles files = new DurableFiles();

  /// For loading by name.
  public LocalFileIO() {}

  @Override
  public void initialize(Map<String, String> newProperties) {
    properties = Map.copyOf(newProperties);
  }

  @Override
  public Map<String, String> properties() {
    return properties;
  }

  @Override
  public InputFile newInputFile(String location) {
    return new LocalInputFile(location, path(location));
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new LocalOutputFile(location, path(location), files);
  }

  @Override
  public void deleteFile(String location) {
    try {
      Files.deleteIfExists(path(location));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + location, e);
    }
  }

  @Override
  public void deleteFiles(Iterable<String> locations) throws BulkDeletionFailureException {
    int failures = 0;
    for (String location : locations) {
      try {
        Files.deleteIfExists(path(location));
      } catch (IOException e) {
        failures++;
      }
    }
    if (failures > 0) {
      throw new BulkDeletionFailureException(failures);
    }
  }

  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    String scheme = prefix.substring(0, prefix.length() - pathText(prefix).length());
    return () -> new LocalFileWalk(path(prefix), scheme);
  }

  @Override
  public void deletePrefix(String prefix) {
    Path path = path(prefix);
    files.forgetFolders();
    try {
      List<Path> found = new ArrayList<>();
      try (var tree = Files.walk(path)) {
        tree.forEach(found::add);
      }
      found.sort(Comparator.reverseOrder());
      for (Path each : found) {
        Files.deleteIfExists(each);
      }
    } catch (NoSuchFileException e) {
      return; // Nothing has this prefix.
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete below " + prefix, e);
    }
  }

  /// The path of a location.
  ///
  /// @throws IllegalArgumentException if the location is not on the local file system
  public static Path path(String location) {
    Path path = new File(pathText(location)).toPath();
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException(
          "not a local location: '" + location + "'; expected file:///path or /path");
    }
    return path.normalize();
  }

  /// Whether a location is on the local file system.
  public static boolean isLocal(String location) {
    return location.startsWith("/") || location.toLowerCase(Locale.ROOT).startsWith("file:");
  }

  /// The location without `file:`, `file://` or `file://localhost`.
  private static String pathText(String location) {
    if (!location.regionMatches(true, 0, "file:", 0, 5)) {
      return location;
    }
    String rest = location.substring(5);
    if (!rest.startsWith("//")) {
      return rest;
    }
    int slash = rest.indexOf('/', 2);
    String host = slash < 0 ? rest.substring(2) : rest.substring(2, slash);
    if (slash < 0 || !(host.isEmpty() || host.equals("localhost"))) {
      throw new IllegalArgumentException(
          "not a local location: '" + location + "' names the host '" + host + "'");
    }
    return rest.substring(slash);
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    files = new DurableFiles();
  }
}
