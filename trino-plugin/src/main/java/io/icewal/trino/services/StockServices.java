package io.icewal.trino.services;

import com.google.inject.Inject;
import io.trino.plugin.iceberg.IcebergFileSystemFactory;
import io.trino.plugin.iceberg.IcebergTableCredentials;
import io.trino.plugin.iceberg.catalog.TrinoCatalogFactory;
import io.trino.plugin.iceberg.fileio.ForwardingFileIoFactory;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.TypeManager;
import java.util.Objects;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/// Services of trino-iceberg's own injector, which fills this in. Thread-safe afterwards.
public final class StockServices {
  private @Nullable TrinoCatalogFactory catalogs;
  private @Nullable IcebergFileSystemFactory fileSystems;
  private @Nullable ForwardingFileIoFactory fileIos;
  private @Nullable TypeManager types;

  @Inject
  void set(
      TrinoCatalogFactory newCatalogs,
      IcebergFileSystemFactory newFileSystems,
      ForwardingFileIoFactory newFileIos,
      TypeManager newTypes) {
    this.catalogs = newCatalogs;
    this.fileSystems = newFileSystems;
    this.fileIos = newFileIos;
    this.types = newTypes;
  }

  /// Loads a table now: whatever a transaction has cached is not asked.
  public BaseTable load(ConnectorSession session, SchemaTableName name) {
    return Objects.requireNonNull(catalogs).create(session.getIdentity()).loadTable(session, name);
  }

  /// The files of a table, with the rights of a user.
  public FileIO files(ConnectorSession session, IcebergTableCredentials credentials) {
    return Objects.requireNonNull(fileIos)
        .create(Objects.requireNonNull(fileSystems).create(session.getIdentity(), credentials));
  }

  public TypeManager types() {
    return Objects.requireNonNull(types);
  }
}
