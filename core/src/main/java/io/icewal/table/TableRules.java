package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowOp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/// What a table of icewal may look like, and the properties it begins with. Pure.
final class TableRules {
  /// Old metadata files kept: enough for people to look back, few enough to stay small.
  private static final int PREVIOUS_VERSIONS_MAX = 10;

  /// Tries that other engines make when they meet a materializer's commits.
  private static final int FOREIGN_RETRIES = 10;

  private TableRules() {}

  /// Refuses what icewal cannot keep.
  ///
  /// @throws IcewalException INVALID, naming the column
  static void check(Schema schema) {
    schema.columns().forEach(TableRules::check);
    KeyColumns.of(schema);
    checkStored("", schema.asStruct());
  }

  /// Parquet has no struct without fields, and icewal stores none of type unknown: a row of such a
  /// table would be acknowledged and could never be materialized.
  private static void checkStored(String path, Type type) {
    if (type.isPrimitiveType()) {
      return;
    }
    List<Types.NestedField> fields = type.asNestedType().fields();
    List<Types.NestedField> stored =
        fields.stream().filter(field -> field.type().typeId() != Type.TypeID.UNKNOWN).toList();
    boolean all = type.isListType() || type.isMapType();
    if (stored.isEmpty() || (all && stored.size() < fields.size())) {
      throw new IcewalException(
          ErrorKind.INVALID,
          (path.isEmpty() ? "the table" : "column '" + path + "'")
              + " of type "
              + type
              + " has nothing that a data file can hold: give it a field of a known type");
    }
    for (Types.NestedField field : stored) {
      checkStored(path.isEmpty() ? field.name() : path + "." + field.name(), field.type());
    }
  }

  /// Refuses properties that icewal does not obey.
  ///
  /// @throws IcewalException INVALID, naming the property
  static void checkProperties(Map<String, String> properties) {
    if (properties.containsKey(TableProperties.ENCRYPTION_TABLE_KEY)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "property "
              + TableProperties.ENCRYPTION_TABLE_KEY
              + ": icewal does not keep the keys of encrypted files, so that nobody could read them");
    }
  }

  /// Refuses names that could be taken for others', or whose folder could: a catalog joins the
  /// levels of a namespace with dots, and makes folders of names.
  ///
  /// @throws IcewalException INVALID, with the name
  static void check(TableIdentifier table) {
    List<String> names = new ArrayList<>(List.of(table.namespace().levels()));
    if (names.stream().anyMatch(level -> level.contains("."))) {
      throw refused(table, "a namespace must not have a dot in one of its levels");
    }
    names.add(table.name());
    for (String name : names) {
      if (name.equals(".") || name.equals("..")) {
        throw refused(table, "a name must not be '.' or '..'");
      }
      if (name.contains("/") || name.chars().anyMatch(Character::isISOControl)) {
        throw refused(table, "a name must not have a slash or a control character");
      }
    }
  }

  private static IcewalException refused(TableIdentifier table, String why) {
    return new IcewalException(ErrorKind.INVALID, "table '" + table + "': " + why);
  }

  /// Refuses a column that icewal cannot keep.
  ///
  /// @throws IcewalException INVALID, naming it
  static void check(Types.NestedField column) {
    checkName(column.name());
    try {
      ArrowSchemas.toArrow(column);
    } catch (IcewalException e) {
      throw new IcewalException(e.kind(), "column '" + column.name() + "': " + e.getMessage(), e);
    }
  }

  private static void checkName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.equals(RowOp.COLUMN)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "column '" + name + "': the name is reserved for what a row means (upsert or delete)");
    }
    if (MetadataColumns.isMetadataColumn(lower)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "column '" + name + "': the name is one of Iceberg's metadata columns");
    }
  }

  /// What the owner of such a table should know.
  static List<String> warnings(Schema schema, PartitionSpec spec) {
    KeyColumns key = KeyColumns.of(schema);
    if (key.isEmpty() || !spec.isPartitioned()) {
      return List.of();
    }
    List<String> outside = PartitionKeys.outsideKey(spec, key);
    if (outside.isEmpty()) {
      return List.of();
    }
    List<String> within = PartitionKeys.withinKey(spec, key);
    return List.of(
        "the table is partitioned by "
            + String.join(", ", outside)
            + ", outside the primary key: a key can be in any partition"
            + (within.isEmpty() ? "" : " of its " + String.join(", ", within))
            + ", so each upsert must look into all of them");
  }

  /// The properties of a new table.
  static Map<String, String> defaults(Schema schema) {
    Map<String, String> out = new LinkedHashMap<>();
    out.put(TableProperties.FORMAT_VERSION, "3");
    out.put(TableProperties.DEFAULT_FILE_FORMAT, "parquet");
    out.put(TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");
    out.put(
        TableProperties.METADATA_PREVIOUS_VERSIONS_MAX, Integer.toString(PREVIOUS_VERSIONS_MAX));
    out.put(TableProperties.MANIFEST_MERGE_ENABLED, "true");
    out.put(TableProperties.COMMIT_NUM_RETRIES, Integer.toString(FOREIGN_RETRIES));
    out.put(TableProperties.DELETE_MODE, "merge-on-read");
    out.put(TableProperties.UPDATE_MODE, "merge-on-read");
    out.put(TableProperties.MERGE_MODE, "merge-on-read");
    // Bounds of keys find the files that can hold a key: cut bounds of long keys find too many, and
    // beyond the first hundred columns Iceberg has none by itself.
    for (int id : KeyColumns.of(schema).fieldIds()) {
      out.put(TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX + schema.findColumnName(id), "full");
    }
    return out;
  }
}
