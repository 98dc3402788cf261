package io.icewal.flight;

import io.icewal.ingest.IngestTable;
import io.icewal.ingest.TableLoader;
import io.icewal.model.IcewalException;
import io.icewal.table.Adoption;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.wal.LogRoot;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// Looks a table up in the Iceberg catalog for ingestion.
final class CatalogTableLoader implements TableLoader {
  private final IcewalTables tables;
  private final LogRoot root;

  CatalogTableLoader(IcewalTables tables, LogRoot root) {
    this.tables = tables;
    this.root = root;
  }

  @Override
  public IngestTable load(TableIdentifier name) {
    Table table = tables.load(name);
    TableMetadata metadata = ((HasTableOperations) table).operations().current();
    return new IngestTable(
        UUID.fromString(metadata.uuid()),
        name,
        metadata.schema(),
        metadata.lastColumnId(),
        metadata.spec(),
        refusal(name, metadata));
  }

  /// Why rows for this table would be lost or doubled, or null.
  private @Nullable String refusal(TableIdentifier name, TableMetadata metadata) {
    String why = TablePosition.whyReplaced(metadata);
    if (why != null) {
      return why + "; to begin with the rows that it has: " + Adoption.command(name);
    }
    Optional<TablePosition> position = TablePosition.read(metadata);
    try {
      position.ifPresent(known -> root.checkOwn(known.position()));
      return null;
    } catch (IcewalException e) {
      return e.getMessage();
    }
  }
}
