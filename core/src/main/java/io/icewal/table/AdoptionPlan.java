package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.UpdateSchema;
import org.jspecify.annotations.Nullable;

/// What an adoption changes in a table's metadata, and what in the metadata is in its way. Looks at
/// no file.
///
/// @param metadata what was looked at
/// @param schema the schema with its key; the one that is there if the key cannot be taken
/// @param columnsToRequire optional columns that become required
/// @param keyChanges whether the identifier fields change
/// @param properties table properties to set
/// @param refusals what is in the way
record AdoptionPlan(
    TableMetadata metadata,
    Schema schema,
    List<String> columnsToRequire,
    boolean keyChanges,
    Map<String, String> properties,
    List<Verdict> refusals) {
  static final int FORMAT_VERSION = 3;

  static AdoptionPlan of(Table table, AdoptionRequest request) {
    TableMetadata metadata = TablePosition.metadata(table);
    Schema schema = metadata.schema();
    List<Verdict> refusals = new ArrayList<>(AdoptionRules.metadata(table));
    List<String> names = request.key() == null ? ownKey(schema) : request.key();
    AdoptionKey key = AdoptionKey.of(schema, names);
    refusals.addAll(key.refusals());
    if (!request.requiresKey()) {
      refusals.addAll(key.optionalRefusals());
    }
    boolean possible = key.refusals().isEmpty();
    Schema next = possible ? change(table.updateSchema(), key).apply() : schema;
    return new AdoptionPlan(
        metadata,
        next,
        possible ? key.optional() : List.of(),
        possible && !next.identifierFieldIds().equals(schema.identifierFieldIds()),
        possible ? missing(TableRules.defaults(next), metadata.properties()) : Map.of(),
        refusals);
  }

  private static List<String> ownKey(Schema schema) {
    return schema.identifierFieldIds().stream().sorted().map(schema::findColumnName).toList();
  }

  private static UpdateSchema change(UpdateSchema update, AdoptionKey key) {
    key.optional().forEach(name -> update.allowIncompatibleChanges().requireColumn(name));
    return update.setIdentifierFields(key.names());
  }

  private static Map<String, String> missing(
      Map<String, String> defaults, Map<String, String> there) {
    Map<String, String> missing = new LinkedHashMap<>(defaults);
    missing.remove(TableProperties.FORMAT_VERSION);
    missing.keySet().removeAll(there.keySet());
    return missing;
  }

  /// Puts the schema's change into a transaction.
  void changeSchema(UpdateSchema update) {
    columnsToRequire.forEach(name -> update.allowIncompatibleChanges().requireColumn(name));
    update.setIdentifierFields(keyNames()).commit();
  }

  boolean changesSchema() {
    return keyChanges || !columnsToRequire.isEmpty();
  }

  /// The key, if it can be one; its columns are required in it.
  Optional<KeyColumns> key() {
    return refusals.stream().anyMatch(refusal -> AdoptionKey.isOfKey(refusal.rule()))
        ? Optional.empty()
        : Optional.of(KeyColumns.of(schema));
  }

  /// Whether the table's files can be looked into in spite of what is in the way.
  boolean isReadable() {
    return refusals.stream().allMatch(refusal -> AdoptionRules.leavesReadable(refusal.rule()));
  }

  List<String> keyNames() {
    return ownKey(schema);
  }

  /// The changes for people to read.
  List<String> changes() {
    List<String> changes = new ArrayList<>();
    if (metadata.formatVersion() < FORMAT_VERSION) {
      changes.add("format version " + metadata.formatVersion() + " becomes " + FORMAT_VERSION);
    }
    columnsToRequire.forEach(name -> changes.add("column " + name + " becomes required"));
    if (keyChanges) {
      changes.add("identifier fields become " + keyNames());
    }
    new TreeMap<>(properties).forEach((name, value) -> changes.add(name + "=" + value));
    changes.add("an empty snapshot, with its position at the end of the log");
    return changes;
  }

  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    PartitionSpec spec = metadata.spec();
    key().ifPresent(key -> warnings.addAll(TableRules.warnings(schema, spec)));
    if (keyNames().isEmpty()) {
      warnings.add(
          "the table has no key: it is append-only, every row is kept; a key is given by --key");
    }
    String kept = keptProperties();
    if (kept != null) {
      warnings.add("table properties that stay as they are, unlike in a new table: " + kept);
    }
    return warnings;
  }

  private @Nullable String keptProperties() {
    List<String> kept = new ArrayList<>();
    Map<String, String> defaults = key().isEmpty() ? Map.of() : TableRules.defaults(schema);
    defaults.forEach(
        (name, value) -> {
          String there = metadata.properties().get(name);
          if (there != null && !there.equalsIgnoreCase(value)) {
            kept.add(name + "=" + there + " (new: " + value + ")");
          }
        });
    return kept.isEmpty() ? null : String.join(", ", kept);
  }

  /// The position, if the table is adopted and was not replaced since.
  @Nullable TablePosition adopted() {
    try {
      return TablePosition.valid(metadata).orElse(null);
    } catch (IcewalException e) {
      return null; // The property cannot be read: a refusal of its own says so.
    }
  }
}
