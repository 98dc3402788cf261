package io.icewal.config;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.LocalFileIO;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;

/// Opens Iceberg catalogs by Iceberg's own properties, with the few defaults that Iceberg lacks.
final class Catalogs {
  private static final String SQLITE = "jdbc:sqlite:";

  private Catalogs() {}

  static Catalog open(IcewalConfig config) {
    Map<String, String> properties = withDefaults(config.catalogProperties());
    String uri = properties.getOrDefault(CatalogProperties.URI, "");
    try {
      if (uri.startsWith(SQLITE + "/")) {
        return openSqlite(
            config.catalogName(), properties, Path.of(uri.substring(SQLITE.length())));
      }
      return CatalogUtil.buildIcebergCatalog(config.catalogName(), properties, null);
    } catch (RuntimeException | IOException e) {
      // What Iceberg says of a type or a class that it does not know.
      boolean wrong =
          e instanceof UnsupportedOperationException || e instanceof IllegalArgumentException;
      throw new IcewalException(
          wrong ? ErrorKind.INVALID : ErrorKind.UNAVAILABLE,
          "cannot open the catalog '" + config.catalogName() + "' at '" + uri + "': " + reason(e),
          e);
    }
  }

  /// With the first cause, which says why: a driver that is missing, a database that is damaged.
  private static String reason(Throwable error) {
    Throwable first = error;
    while (first.getCause() != null) {
      first = first.getCause();
    }
    return first == error ? error.toString() : error + ": " + first.getMessage();
  }

  static Map<String, String> withDefaults(Map<String, String> given) {
    Map<String, String> properties = new HashMap<>(given);
    String warehouse = properties.getOrDefault(CatalogProperties.WAREHOUSE_LOCATION, "");
    if (LocalFileIO.isLocal(warehouse)) {
      properties.putIfAbsent(CatalogProperties.FILE_IO_IMPL, LocalFileIO.class.getName());
    } else if (warehouse.startsWith("s3://")) {
      properties.putIfAbsent(CatalogProperties.FILE_IO_IMPL, "org.apache.iceberg.aws.s3.S3FileIO");
    }
    if (properties.getOrDefault(CatalogProperties.URI, "").startsWith(SQLITE)) {
      properties.putIfAbsent("jdbc.busy_timeout", "30000");
    }
    return properties;
  }

  /// Two processes that open a new database at the same moment both see no tables and both create
  /// them, and the later one fails; so does the switch of the journal. They take turns by a lock on
  /// a file beside the database.
  private static Catalog openSqlite(String name, Map<String, String> properties, Path database)
      throws IOException {
    Path folder = database.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Path lockFile = Path.of(database + ".lock");
    synchronized (Catalogs.class) { // File locks do not keep threads of one process apart.
      try (FileChannel channel =
              FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        if (!lock.isValid()) {
          throw new IOException("lost the lock on " + lockFile);
        }
        return CatalogUtil.buildIcebergCatalog(name, properties, null);
      }
    }
  }
}
