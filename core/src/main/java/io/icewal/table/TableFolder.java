package io.icewal.table;

import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.SupportsPrefixOperations;

/// What lies in a table's folder before the table is made: that of a table of the same name that
/// was renamed, or dropped and not purged. Engines that drop a table remove its whole folder, so no
/// two tables may share one.
public final class TableFolder {
  private TableFolder() {}

  /// Whether files of others are in a folder or below it, or may be.
  ///
  /// @return true also where it cannot be seen
  public static boolean mayBeTaken(FileIO files, String location) {
    return !(files instanceof SupportsPrefixOperations listing) || hasFiles(listing, location);
  }

  /// Whether files are in a folder or below it.
  public static boolean hasFiles(SupportsPrefixOperations listing, String location) {
    String folder = location.endsWith("/") ? location : location + "/";
    try {
      for (FileInfo file : listing.listPrefix(folder)) {
        // On local files folders whose names begin alike are listed, too.
        if (file.location().startsWith(folder)) {
          return true;
        }
      }
      return false;
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof FileNotFoundException) {
        return false; // There is no such folder.
      }
      throw e;
    }
  }
}
