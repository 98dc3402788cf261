package io.icewal.table;

import java.util.List;
import org.apache.iceberg.Table;

/// A table that was just created or adopted.
///
/// @param table the table, loaded
/// @param warnings what its owner should know
public record CreatedTable(Table table, List<String> warnings) {
  public CreatedTable {
    warnings = List.copyOf(warnings);
  }
}
