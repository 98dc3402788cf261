package io.icewal.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.Position;
import io.icewal.model.Verdict;
import java.util.List;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What came of an adoption, or would: the answer of action `icewal.adopt_table`.
///
/// @param outcome `adopted`, `adopted_before`, `possible` or `refused`, the last two of a dry run
/// @param key names of the primary key's columns; empty for an append-only table
/// @param position where its log begins for it; null if it is not adopted
/// @param changes what was changed, or would be
/// @param refusals what is in the way
/// @param warnings what its owner should know
/// @param dataFiles data files that were looked at
/// @param rows live rows that were looked at
public record TableAdoption(
    TableIdentifier table,
    String outcome,
    List<String> key,
    @Nullable Position position,
    List<String> changes,
    List<Verdict> refusals,
    List<String> warnings,
    long dataFiles,
    long rows) {
  public TableAdoption {
    key = List.copyOf(key);
    changes = List.copyOf(changes);
    refusals = List.copyOf(refusals);
    warnings = List.copyOf(warnings);
  }

  public boolean isRefused() {
    return outcome.equals("refused");
  }

  public ObjectNode toNode() {
    ObjectNode object = Json.object();
    object.set("table", Json.table(table));
    object.put("outcome", outcome);
    key.forEach(object.putArray("key")::add);
    object.put("position", position == null ? null : position.toString());
    changes.forEach(object.putArray("changes")::add);
    object.set("refusals", VerdictJson.write(refusals));
    warnings.forEach(object.putArray("warnings")::add);
    object.put("data_files", dataFiles);
    object.put("rows", rows);
    return object;
  }

  public byte[] toJson() {
    return Json.write(toNode());
  }

  /// Reads an answer.
  public static TableAdoption parse(byte[] text) {
    JsonMembers members = Json.read("answer of adopt_table", text);
    String position = members.text("position");
    return new TableAdoption(
        members.table(),
        members.required("outcome").asText(),
        texts(members, "key"),
        position == null ? null : Position.parse(position),
        texts(members, "changes"),
        VerdictJson.readAll(members.required("refusals")),
        texts(members, "warnings"),
        members.required("data_files").asLong(),
        members.required("rows").asLong());
  }

  private static List<String> texts(JsonMembers members, String name) {
    List<String> texts = members.texts(name);
    return texts == null ? List.of() : texts;
  }
}
