package io.icewal.table;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/// Data files that were written and that no commit names, nor ever will.
public final class UnusedFiles {
  private UnusedFiles() {}

  /// Removes all that can be removed, then throws what failed; the others are left to orphan
  /// removal.
  ///
  /// @param table whose storage they are in
  public static void delete(Table table, List<DataFile> files) {
    @Nullable RuntimeException failure = null;
    for (DataFile file : files) {
      try {
        table.io().deleteFile(file.location());
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
