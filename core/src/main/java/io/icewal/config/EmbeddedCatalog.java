package io.icewal.config;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.LocalFileIO;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/// The configuration of a warehouse in one folder, as one would write it in a file.
///
/// SQLite keeps the catalog, in its write-ahead journal mode so that readers and a writer do not
/// wait for each other, and with `synchronous=FULL`: the log is trimmed below what the catalog says
/// is materialized, so a commit that was answered must survive a power cut. `NORMAL` may lose the
/// last ones, and their rows with them. Writers of several processes wait up to 30 seconds for each
/// other.
final class EmbeddedCatalog {
  private EmbeddedCatalog() {}

  static Map<String, String> values(Path folder) {
    String path = folder.toAbsolutePath().normalize().toString();
    if (path.contains("?") || path.contains("#")) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "the data folder '"
              + path
              + "' has '?' or '#' in its path, which SQLite takes for more"
              + " than a name");
    }
    Map<String, String> values = new TreeMap<>();
    values.put("catalog.name", IcewalConfig.CATALOG_NAME);
    values.put("catalog.type", "jdbc");
    values.put("catalog.uri", "jdbc:sqlite:" + path + "/catalog.db");
    values.put("catalog.warehouse", "file://" + path + "/warehouse");
    values.put("catalog.io-impl", LocalFileIO.class.getName());
    values.put("catalog.jdbc.schema-version", "V1");
    values.put("catalog.jdbc.journal_mode", "WAL");
    values.put("catalog.jdbc.synchronous", "FULL");
    values.put("log.root", path + "/log");
    return values;
  }
}
