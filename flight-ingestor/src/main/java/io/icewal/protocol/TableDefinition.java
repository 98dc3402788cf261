package io.icewal.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// A table to be created: the body of action `icewal.create_table`.
///
/// @param table its name
/// @param schema its columns; the identifier fields are the primary key, none: append-only
/// @param spec its partitioning
/// @param properties further table properties
public record TableDefinition(
    TableIdentifier table, Schema schema, PartitionSpec spec, Map<String, String> properties) {
  private static final String WHAT = "create_table";

  public TableDefinition {
    properties = Map.copyOf(properties);
  }

  /// An unpartitioned table without properties of its own.
  public static TableDefinition of(TableIdentifier table, Schema schema) {
    return new TableDefinition(table, schema, PartitionSpec.unpartitioned(), Map.of());
  }

  /// Reads a body: either `columns`, `key` and `partition` as people write them ([ColumnText],
  /// [PartitionText]), or `schema` and `spec` in Iceberg's own JSON.
  public static TableDefinition parse(byte[] body) {
    JsonMembers members = Json.read(WHAT, body);
    TableIdentifier table = members.table();
    checkNames(table);
    JsonNode iceberg = members.value("schema");
    String columns = members.text("columns");
    if ((iceberg == null) == (columns == null)) {
      throw new IcewalException(
          ErrorKind.INVALID, WHAT + " needs either 'columns' (text) or 'schema' (Iceberg's JSON)");
    }
    Map<String, String> properties = properties(members.value("properties"));
    TableDefinition definition =
        iceberg != null
            ? ofIceberg(table, iceberg, members.value("spec"), properties)
            : ofText(table, String.valueOf(columns), members, properties);
    members.end();
    return definition;
  }

  /// Catalogs make folders of names: one that climbs or branches would put the table's files among
  /// another table's, or the log's.
  private static void checkNames(TableIdentifier table) {
    List<String> names = new ArrayList<>(List.of(table.namespace().levels()));
    names.add(table.name());
    for (String name : names) {
      boolean unfit =
          name.equals(".")
              || name.equals("..")
              || name.codePoints()
                  .anyMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c));
      if (unfit) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "a table or namespace cannot be named '"
                + name
                + "': no '.' or '..', no slashes and no control characters");
      }
    }
  }

  private static TableDefinition ofText(
      TableIdentifier table, String columns, JsonMembers members, Map<String, String> properties) {
    List<String> key = members.texts("key");
    String partition = members.text("partition");
    Schema schema = ColumnText.schema(ColumnText.columns(columns), key == null ? List.of() : key);
    PartitionSpec spec =
        partition == null || partition.isBlank()
            ? PartitionSpec.unpartitioned()
            : PartitionText.spec(partition, schema);
    return new TableDefinition(table, schema, spec, properties);
  }

  private static TableDefinition ofIceberg(
      TableIdentifier table,
      JsonNode schemaJson,
      @Nullable JsonNode specJson,
      Map<String, String> properties) {
    try {
      Schema schema = SchemaParser.fromJson(schemaJson);
      PartitionSpec spec =
          specJson == null
              ? PartitionSpec.unpartitioned()
              : PartitionSpecParser.fromJson(schema, specJson);
      return new TableDefinition(table, schema, spec, properties);
    } catch (RuntimeException e) {
      // Iceberg's parsers throw several kinds, all of which say that the text is not right.
      throw new IcewalException(
          ErrorKind.INVALID,
          "'schema' or 'spec' of " + WHAT + " is not Iceberg's JSON: " + e.getMessage(),
          e);
    }
  }

  private static Map<String, String> properties(@Nullable JsonNode object) {
    Map<String, String> properties = new TreeMap<>();
    if (object != null) {
      object
          .fields()
          .forEachRemaining(entry -> properties.put(entry.getKey(), entry.getValue().asText()));
    }
    return properties;
  }

  public byte[] toJson() {
    ObjectNode object = Json.object();
    object.set("table", Json.table(table));
    object.set("schema", Json.parse(SchemaParser.toJson(schema)));
    object.set("spec", Json.parse(PartitionSpecParser.toJson(spec)));
    ObjectNode named = object.putObject("properties");
    properties.forEach(named::put);
    return Json.write(object);
  }
}
