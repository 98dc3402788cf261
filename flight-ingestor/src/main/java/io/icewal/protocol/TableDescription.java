package io.icewal.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.Position;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// A table as it is: the answer of actions `icewal.create_table` and `icewal.describe_table`.
///
/// @param position where its materialized part ends; null for a table that icewal did not create
/// @param properties all table properties
/// @param warnings what its owner should know, when it was just created
public record TableDescription(
    TableIdentifier table,
    UUID uuid,
    String location,
    Schema schema,
    PartitionSpec spec,
    @Nullable Position position,
    Map<String, String> properties,
    List<String> warnings) {
  public TableDescription {
    warnings = List.copyOf(warnings);
    properties = Map.copyOf(properties);
  }

  /// Names of the primary key's columns; empty for an append-only table.
  public List<String> key() {
    return schema.identifierFieldNames().stream().sorted().toList();
  }

  public byte[] toJson() {
    ObjectNode object = Json.object();
    object.set("table", Json.table(table));
    object.put("uuid", uuid.toString());
    object.put("location", location);
    object.set("schema", Json.parse(SchemaParser.toJson(schema)));
    object.set("spec", Json.parse(PartitionSpecParser.toJson(spec)));
    key().forEach(object.putArray("key")::add);
    object.put("position", position == null ? null : position.toString());
    ObjectNode named = object.putObject("properties");
    new TreeMap<>(properties).forEach(named::put);
    warnings.forEach(object.putArray("warnings")::add);
    return Json.write(object);
  }

  /// Reads an answer.
  public static TableDescription parse(byte[] text) {
    JsonMembers members = Json.read("table description", text);
    Schema schema = SchemaParser.fromJson(members.required("schema"));
    String position = members.text("position");
    Map<String, String> properties = new TreeMap<>();
    members
        .required("properties")
        .fields()
        .forEachRemaining(entry -> properties.put(entry.getKey(), entry.getValue().asText()));
    List<String> warnings = members.texts("warnings");
    return new TableDescription(
        members.table(),
        UUID.fromString(members.required("uuid").asText()),
        members.required("location").asText(),
        schema,
        PartitionSpecParser.fromJson(schema, members.required("spec")),
        position == null ? null : Position.parse(position),
        properties,
        warnings == null ? List.of() : warnings);
  }
}
