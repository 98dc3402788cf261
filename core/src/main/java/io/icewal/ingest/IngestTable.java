package io.icewal.ingest;

import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What ingestion knows of a table.
///
/// @param id the table's Iceberg UUID
/// @param name the name it was found under
/// @param schema its current schema; the identifier fields are its key
/// @param lastColumnId the highest field id that the table ever gave out
/// @param spec its current partition spec
/// @param refusal why the table cannot take rows now (no position, replaced, …), or null
public record IngestTable(
    UUID id,
    TableIdentifier name,
    Schema schema,
    int lastColumnId,
    PartitionSpec spec,
    @Nullable String refusal) {
  /// Field ids of the key; empty for an append-only table.
  public Set<Integer> keyFieldIds() {
    return schema.identifierFieldIds();
  }

  public boolean isAppendOnly() {
    return schema.identifierFieldIds().isEmpty();
  }

  /// Whether rows planned for the other table are planned right for this one.
  boolean isPlannedAs(IngestTable other) {
    return spec.equals(other.spec)
        && schema.schemaId() == other.schema.schemaId()
        && lastColumnId == other.lastColumnId
        && schema.sameSchema(other.schema);
  }
}
