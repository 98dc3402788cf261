package io.icewal.table;

import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;

/// What looking for a table by its UUID came to.
public sealed interface TableSearch {
  /// @param name the name under which it was loaded
  record Found(TableIdentifier name, Table table) implements TableSearch {}

  /// Every table of the catalog was looked at, and none has the UUID.
  record Gone() implements TableSearch {}

  /// Not every table was looked at: it may be one of the others.
  record Unsure() implements TableSearch {}
}
