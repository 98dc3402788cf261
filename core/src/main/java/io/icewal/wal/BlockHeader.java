package io.icewal.wal;

import io.icewal.model.BlockKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;

/// What all rows of a block have in common.
///
/// @param tableId the Iceberg table's UUID: what the rows follow
/// @param tableName the table's last known name, a hint for people
/// @param schemaId the table schema the rows were validated against
/// @param lastColumnId the table's highest field id at that time: an absent column with a higher id
///   was added later
/// @param columns the columns that are stored; its identifier fields are the table's key
/// @param kind what the rows mean
public record BlockHeader(
    UUID tableId,
    String tableName,
    int schemaId,
    int lastColumnId,
    Schema columns,
    BlockKind kind) {

  /// True for a table with a key: its blocks have a key part, and a rest part if there is more.
  public boolean isKeyed() {
    return !columns.identifierFieldIds().isEmpty();
  }

  /// True if blocks of this kind have rows.
  public boolean hasRows() {
    return kind != BlockKind.TRUNCATE && kind != BlockKind.FLUSH;
  }

  /// The top-level columns that are, or hold, a part of the key.
  public List<NestedField> keyColumns() {
    return split(true);
  }

  /// The other top-level columns.
  public List<NestedField> restColumns() {
    return split(false);
  }

  private List<NestedField> split(boolean key) {
    Set<Integer> ids = columns.identifierFieldIds();
    List<NestedField> chosen = new ArrayList<>();
    for (NestedField column : columns.columns()) {
      if (holdsAny(column, ids) == key) {
        chosen.add(column);
      }
    }
    return chosen;
  }

  private static boolean holdsAny(NestedField column, Set<Integer> ids) {
    return ids.contains(column.fieldId())
        || (column.type().isStructType()
            && TypeUtil.getProjectedIds(column.type()).stream().anyMatch(ids::contains));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockHeader that
        && tableId.equals(that.tableId)
        && tableName.equals(that.tableName)
        && schemaId == that.schemaId
        && lastColumnId == that.lastColumnId
        && kind == that.kind
        && (columns == that.columns || columns.sameSchema(that.columns));
  }

  @Override
  public int hashCode() {
    return Objects.hash(tableId, schemaId, kind);
  }
}
