package io.icewal.ingest;

import io.icewal.model.IcewalException;
import org.apache.iceberg.catalog.TableIdentifier;

/// Loads a table from the catalog, past any cache. Production reads the Iceberg catalog; tests hold
/// tables in a map.
@FunctionalInterface
public interface TableLoader {
  /// The table as it is now.
  ///
  /// @throws IcewalException INVALID if there is no such table, UNAVAILABLE if the catalog does not
  ///   answer. Iceberg's own `NoSuchTableException` and `NoSuchNamespaceException` count as the
  ///   former, any other exception as the latter.
  IngestTable load(TableIdentifier name);
}
