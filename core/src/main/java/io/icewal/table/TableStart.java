package io.icewal.table;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/// Makes a table that another engine is about to create, or to replace, one of icewal's.
public final class TableStart {
  /// Properties that place a table's files elsewhere than in its own folder.
  public static final List<String> PATHS =
      List.of(
          TableProperties.WRITE_DATA_LOCATION,
          TableProperties.WRITE_METADATA_LOCATION,
          TableProperties.OBJECT_STORE_PATH,
          TableProperties.WRITE_FOLDER_STORAGE_LOCATION);

  private TableStart() {}

  /// The first half: adds to the engine's transaction a key and icewal's own defaults. The
  /// transaction is not committed.
  ///
  /// @param name the table's
  /// @param transaction of a table in format version 3
  /// @param key names of required columns; empty for an append-only table
  /// @throws IcewalException INVALID for what icewal does not keep
  public static void prepare(TableIdentifier name, Transaction transaction, List<String> key) {
    TableRules.check(name);
    if (!key.isEmpty()) {
      try {
        transaction.updateSchema().setIdentifierFields(key).commit();
      } catch (IllegalArgumentException e) {
        throw new IcewalException(
            ErrorKind.INVALID, "primary key " + key + " cannot be: " + e.getMessage(), e);
      }
    }
    check(transaction.table());
    UpdateProperties properties = transaction.updateProperties();
    Map<String, String> given = transaction.table().properties();
    TableRules.defaults(transaction.table().schema()).entrySet().stream()
        .filter(entry -> !given.containsKey(entry.getKey()))
        .forEach(entry -> properties.set(entry.getKey(), entry.getValue()));
    given.keySet().stream()
        .filter(property -> isOfMissingColumn(property, transaction.table().schema()))
        .forEach(properties::remove);
    properties.commit();
  }

  /// The other half: the first snapshot and the position. A table that replaces another one has its
  /// UUID: what is appended between this and the commit becomes its own.
  ///
  /// @param logEnd the end of the table's log
  /// @param files its first rows
  public static void begin(Transaction transaction, Position logEnd, List<DataFile> files) {
    IcewalTables.begin(transaction, logEnd, files);
  }

  /// Refuses a column that icewal cannot keep, before an engine adds it to a table.
  ///
  /// @param name its name, with those of the structs that it is in
  /// @throws IcewalException INVALID, naming it
  public static void checkColumn(String name, Type type) {
    TableRules.check(new Schema(Types.NestedField.optional(Integer.MAX_VALUE / 2, name, type)));
  }

  /// What a replaced table said of its columns goes with them: Iceberg refuses what is left.
  private static boolean isOfMissingColumn(String property, Schema schema) {
    String prefix = TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX;
    return property.startsWith(prefix)
        && schema.findField(property.substring(prefix.length())) == null;
  }

  /// Refuses a table that another engine is about to make or to change, if icewal could not keep
  /// its columns or would not obey its properties.
  ///
  /// @param table as it will be
  /// @throws IcewalException INVALID, naming the column or property
  public static void check(Table table) {
    TableRules.check(table.schema());
    TableRules.checkProperties(table.properties());
  }
}
