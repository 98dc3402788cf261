package io.icewal.trino.services;

import com.google.inject.Inject;
import io.trino.filesystem.Location;
import io.trino.plugin.iceberg.IcebergConfig;
import io.trino.plugin.iceberg.IcebergErrorCode;
import io.trino.plugin.iceberg.IcebergFileSystemFactory;
import io.trino.plugin.iceberg.IcebergTableCredentials;
import io.trino.plugin.iceberg.catalog.TrinoCatalog;
import io.trino.plugin.iceberg.catalog.TrinoCatalogFactory;
import io.trino.plugin.iceberg.fileio.ForwardingFileIoFactory;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.TypeManager;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/// Services of trino-iceberg's own injector, which fills this in. Thread-safe afterwards.
public final class StockServices {
  private @Nullable TrinoCatalogFactory catalogs;
  private @Nullable IcebergFileSystemFactory fileSystems;
  private @Nullable ForwardingFileIoFactory fileIos;
  private @Nullable TypeManager types;
  private @Nullable IcebergConfig config;

  @Inject
  void set(
      TrinoCatalogFactory newCatalogs,
      IcebergFileSystemFactory newFileSystems,
      ForwardingFileIoFactory newFileIos,
      TypeManager newTypes,
      IcebergConfig newConfig) {
    this.catalogs = newCatalogs;
    this.fileSystems = newFileSystems;
    this.fileIos = newFileIos;
    this.types = newTypes;
    this.config = newConfig;
  }

  /// Loads a table now: whatever a transaction has cached is not asked.
  public BaseTable load(ConnectorSession session, SchemaTableName name) {
    return catalog(session).loadTable(session, name);
  }

  /// The catalog, with the rights of a user and nothing cached.
  public TrinoCatalog catalog(ConnectorSession session) {
    return Objects.requireNonNull(catalogs).create(session.getIdentity());
  }

  /// Whether a table may be given an Iceberg property by its own name.
  public boolean allowsProperty(String name) {
    List<String> allowed = Objects.requireNonNull(config).getAllowedExtraProperties();
    return allowed.contains(name) || allowed.equals(List.of("*"));
  }

  /// The files of a table, with the rights of a user.
  public FileIO files(ConnectorSession session, IcebergTableCredentials credentials) {
    return Objects.requireNonNull(fileIos)
        .create(Objects.requireNonNull(fileSystems).create(session.getIdentity(), credentials));
  }

  /// Whether anything lies in a table's folder.
  public boolean isFolderEmpty(ConnectorSession session, Table table) {
    Location location = Location.of(table.location());
    try {
      return !Objects.requireNonNull(fileSystems)
          .create(session.getIdentity(), IcebergTableCredentials.forFileIO(table.io()))
          .listFiles(location)
          .hasNext();
    } catch (IOException e) {
      throw new TrinoException(
          IcebergErrorCode.ICEBERG_FILESYSTEM_ERROR, "Cannot list files in " + location, e);
    }
  }

  public TypeManager types() {
    return Objects.requireNonNull(types);
  }
}
