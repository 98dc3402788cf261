package io.icewal.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.Position;
import java.util.UUID;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// How a table stands: an element of the answer of action `icewal.status`.
///
/// @param rows rows of a fresh read: those of the newest Iceberg snapshot that are not deleted, and
///   the tail on top, one a key
/// @param position where the materialized part ends; null for a table that icewal did not create
/// @param end the log's end; rows between position and end are the tail
/// @param tailRows rows in the tail, older versions of a key included
/// @param tailBytes their size in the log
/// @param tailAgeMillis age of the oldest of them; 0 if there is none
/// @param dataFiles data files in the snapshot
/// @param deletionVectors deletion vectors in the snapshot
/// @param parkedBlocks blocks of the tail that were moved aside
/// @param lastError why it is not well, or null
public record TableStatus(
    TableIdentifier table,
    UUID uuid,
    long rows,
    @Nullable Position position,
    @Nullable Position end,
    long tailRows,
    long tailBytes,
    long tailAgeMillis,
    long dataFiles,
    long deletionVectors,
    long parkedBlocks,
    @Nullable String lastError) {

  public ObjectNode toNode() {
    ObjectNode object = Json.object();
    object.set("table", Json.table(table));
    object.put("uuid", uuid.toString());
    object.put("rows", rows);
    object.put("position", position == null ? null : position.toString());
    object.put("end", end == null ? null : end.toString());
    object.put("tail_rows", tailRows);
    object.put("tail_bytes", tailBytes);
    object.put("tail_age_ms", tailAgeMillis);
    object.put("data_files", dataFiles);
    object.put("deletion_vectors", deletionVectors);
    object.put("parked_blocks", parkedBlocks);
    object.put("last_error", lastError);
    return object;
  }

  /// Reads one element.
  public static TableStatus parse(JsonNode node) {
    JsonMembers members = Json.read("table status", Json.write(node));
    String position = members.text("position");
    String end = members.text("end");
    return new TableStatus(
        members.table(),
        UUID.fromString(members.required("uuid").asText()),
        members.required("rows").asLong(),
        position == null ? null : Position.parse(position),
        end == null ? null : Position.parse(end),
        members.required("tail_rows").asLong(),
        members.required("tail_bytes").asLong(),
        members.required("tail_age_ms").asLong(),
        members.required("data_files").asLong(),
        members.required("deletion_vectors").asLong(),
        members.required("parked_blocks").asLong(),
        members.text("last_error"));
  }
}
