package io.icewal.tail;

import io.icewal.model.Position;
import io.icewal.wal.BlockHeader;
import java.util.Collections;
import java.util.UUID;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/// A table as it was just loaded, from one version of its metadata.
///
/// @param table whatever the caller calls a table
/// @param tableId its Iceberg UUID
/// @param position where its materialized part ends; null if it has no tail: it is not icewal's, or
///   was replaced
/// @param schemaIdMax the highest id of a schema that it has
/// @param lastColumnId the highest field id that it ever gave out
public record TableAt<T>(
    T table, UUID tableId, @Nullable Position position, int schemaIdMax, int lastColumnId) {

  public static TableAt<Table> of(Table table, @Nullable Position position) {
    return new TableAt<>(
        table,
        table.uuid(),
        position,
        Collections.max(table.schemas().keySet()),
        ((HasTableOperations) table).operations().current().lastColumnId());
  }

  /// Whether a block's rows may have columns or types that this version does not know.
  public boolean isOlderThan(BlockHeader block) {
    return block.schemaId() > schemaIdMax || block.lastColumnId() > lastColumnId;
  }
}
