package io.icewal.table;

import java.util.List;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// Which table to adopt, and with which key.
///
/// @param table the table's name
/// @param key dotted names of the primary key's columns; null: the table's identifier fields, and
///   if it has none, it becomes append-only; empty: append-only
/// @param requiresKey whether optional key columns may be made required
public record AdoptionRequest(
    TableIdentifier table, @Nullable List<String> key, boolean requiresKey) {
  public AdoptionRequest {
    key = key == null ? null : List.copyOf(key);
  }

  /// With the table's own identifier fields as key.
  public static AdoptionRequest of(TableIdentifier table) {
    return new AdoptionRequest(table, null, false);
  }

  public AdoptionRequest withKey(@Nullable List<String> newKey) {
    return new AdoptionRequest(table, newKey, requiresKey);
  }

  /// Optional columns of the key become required, if no row has a null in them.
  public AdoptionRequest requiringKey() {
    return new AdoptionRequest(table, key, true);
  }
}
