package io.icewal.spark.ddl;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.LocalFileIO;
import io.icewal.table.TableFolder;
import io.icewal.table.TableStart;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.jspecify.annotations.Nullable;

/// Where the files of a table may lie: apart from the log, and from what others have put anywhere.
/// What removes the files of one table would take along those of the other.
final class TableFolders {
  private final FileIO files;
  private final IcewalConfig config;

  /// @param files of the table
  TableFolders(FileIO files, IcewalConfig config) {
    this.files = files;
    this.config = config;
  }

  /// Checks the folders of a table that is about to be made or changed.
  ///
  /// @param before the table as it is, or null for a new one
  /// @param location as it will be
  /// @param properties the table's, as they will be
  /// @throws IcewalException INVALID for a new folder that holds the log, or lies within it, or is
  ///   not empty
  void check(@Nullable Table before, String location, Map<String, String> properties) {
    if (before == null || !folder(before.location()).equals(folder(location))) {
      config.requireApartFromLog(location);
      requireEmpty(location);
    }
    checkPaths(before, location, properties);
  }

  /// As [#check], of a new table in a folder that the catalog chose.
  void checkChosen(String location, Map<String, String> properties) {
    config.requireApartFromLog(location);
    checkPaths(null, location, properties);
  }

  private void checkPaths(@Nullable Table before, String location, Map<String, String> properties) {
    for (String property : TableStart.PATHS) {
      String path = properties.get(property);
      boolean kept = before != null && Objects.equals(before.properties().get(property), path);
      if (path != null && !kept) {
        config.requireApartFromLog(path);
        if (!folder(path).startsWith(folder(location))) {
          requireEmpty(path);
        }
      }
    }
  }

  private static String folder(String location) {
    return withSlash(
        LocalFileIO.isLocal(location) ? LocalFileIO.path(location).toString() : location);
  }

  private static String withSlash(String location) {
    return location.endsWith("/") ? location : location + "/";
  }

  private void requireEmpty(String location) {
    if (!(files instanceof SupportsPrefixOperations listing)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "no table may have its files in "
              + location
              + ": whether it is empty cannot be seen by "
              + files.getClass().getName());
    }
    if (TableFolder.hasFiles(listing, location)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "there are files in "
              + location
              + ": who cleans up after one table would take another's along; name an empty folder");
    }
  }
}
