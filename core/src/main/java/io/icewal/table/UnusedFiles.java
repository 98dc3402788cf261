package io.icewal.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/// Files that were written and that no commit names, nor ever will.
public final class UnusedFiles {
  private UnusedFiles() {}

  /// Removes all that can be removed, then throws what failed; the others are left to orphan
  /// removal.
  ///
  /// @param table whose storage they are in
  public static void delete(Table table, List<DataFile> files) {
    deleteAll(table.io(), files.stream().map(DataFile::location).toList());
  }

  /// Removes what lists the files of a snapshot that a transaction has made, in the same way.
  public static void deleteLists(Table table, Snapshot snapshot) {
    List<String> files = new ArrayList<>();
    for (ManifestFile manifest : snapshot.allManifests(table.io())) {
      if (Objects.equals(manifest.snapshotId(), snapshot.snapshotId())) {
        files.add(manifest.path());
      }
    }
    files.add(snapshot.manifestListLocation());
    deleteAll(table.io(), files);
  }

  private static void deleteAll(FileIO io, List<String> locations) {
    @Nullable RuntimeException failure = null;
    for (String location : locations) {
      try {
        io.deleteFile(location);
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
