package io.icewal.table;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

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
    known(transaction);
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

  /// Begins what a prepared transaction does once more, over what the catalog has now: others may
  /// have changed a table since a statement began to replace it, and Iceberg would put what was
  /// prepared in its place all the same.
  ///
  /// A transaction that makes a new table never commits over another. What replaces one commits
  /// only if nobody has added a snapshot since it was loaded here; a REST catalog does not compare
  /// more, so that what else others do in that moment comes after it.
  ///
  /// @param now loads what the catalog has under the table's name; called if that is replaced
  /// @return without the snapshots of the prepared one if others have changed the table
  /// @throws AlreadyExistsException if there is a table where one is to be new
  /// @throws IcewalException CONFLICT if what is to be replaced is another table now, or none, or
  ///   if others have changed it so that columns or partitions are no longer numbered as prepared
  public static Transaction again(TableIdentifier name, Transaction prepared, Supplier<Table> now) {
    TableMetadata wanted = TablePosition.metadata(prepared.table());
    BaseTransaction known = known(prepared);
    TableMetadata begun = known.startMetadata();
    if (begun == null) {
      return creation(name, known.underlyingOps(), wanted);
    }
    TableOperations operations = ((HasTableOperations) load(name, now)).operations();
    TableMetadata base = operations.current();
    GuardedOperations guard = new GuardedOperations(operations);
    String file = base.metadataFileLocation();
    if (file != null && file.equals(begun.metadataFileLocation())) {
      return Transactions.replaceTableTransaction(name.toString(), guard, wanted);
    }
    Map<String, String> properties = merged(begun.properties(), wanted, base.properties());
    Transaction transaction =
        Transactions.replaceTableTransaction(
            name.toString(), guard, replacement(name, base, wanted, properties));
    UpdateProperties removal = transaction.updateProperties();
    transaction.table().properties().keySet().stream()
        .filter(property -> !properties.containsKey(property))
        .forEach(removal::remove);
    removal.commit();
    check(transaction.table());
    return transaction;
  }

  /// What a statement and others together made of a table's properties.
  ///
  /// @param begun what they were when the statement began
  private static Map<String, String> merged(
      Map<String, String> begun, TableMetadata wanted, Map<String, String> now) {
    Map<String, String> merged = new HashMap<>(now);
    merged
        .keySet()
        .removeIf(
            property ->
                (begun.containsKey(property) && !wanted.properties().containsKey(property))
                    || isOfMissingColumn(property, wanted.schema()));
    wanted
        .properties()
        .forEach(
            (property, value) -> {
              if (!value.equals(begun.get(property))) {
                merged.put(property, value);
              }
            });
    return merged;
  }

  private static Transaction creation(
      TableIdentifier name, TableOperations operations, TableMetadata wanted) {
    if (operations.current() != null) {
      throw new AlreadyExistsException("Table already exists: %s", name);
    }
    return Transactions.createTableTransaction(
        name.toString(), new GuardedOperations(operations), wanted);
  }

  private static Table load(TableIdentifier name, Supplier<Table> now) {
    try {
      return now.get();
    } catch (NoSuchTableException e) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "table " + name + " was dropped while a statement replaced it: run it again",
          e);
    }
  }

  private static BaseTransaction known(Transaction transaction) {
    if (transaction instanceof BaseTransaction known) {
      return known;
    }
    throw new IcewalException(
        ErrorKind.INVALID,
        "the catalog makes tables by "
            + transaction.getClass().getName()
            + ", not as Iceberg does");
  }

  /// @param properties all that it is to have; it may have more
  private static TableMetadata replacement(
      TableIdentifier name,
      TableMetadata base,
      TableMetadata wanted,
      Map<String, String> properties) {
    if (!base.uuid().equals(wanted.uuid())) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "table "
              + name
              + " is another one than when a statement began to replace it: run it again");
    }
    Map<String, String> given = new HashMap<>(properties);
    given.put(TableProperties.FORMAT_VERSION, Integer.toString(wanted.formatVersion()));
    TableMetadata start =
        base.buildReplacement(
            wanted.schema(), wanted.spec(), wanted.sortOrder(), wanted.location(), given);
    if (!start.schema().sameSchema(wanted.schema()) || !start.spec().equals(wanted.spec())) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "columns or partitioning of table "
              + name
              + " were changed while a statement replaced it: run it again");
    }
    return start;
  }

  /// Whether a prepared transaction replaces a table, rather than making a new one.
  public static boolean replaces(Transaction prepared) {
    return known(prepared).startMetadata() != null;
  }

  /// The snapshot that an engine has added to a prepared transaction; null for none.
  ///
  /// @throws IcewalException INVALID if it is not on the main branch
  public static @Nullable Snapshot added(Transaction prepared) {
    TableMetadata before = known(prepared).startMetadata();
    @Nullable Snapshot main = prepared.table().currentSnapshot();
    for (Snapshot snapshot : prepared.table().snapshots()) {
      boolean old = before != null && before.snapshot(snapshot.snapshotId()) != null;
      if (!old && !snapshot.equals(main)) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "rows of a table that is made cannot be written to a branch or be staged for later");
      }
    }
    return main;
  }

  /// Commits a transaction.
  ///
  /// @throws org.apache.iceberg.exceptions.CommitFailedException if the table had changed, or if
  ///   this is the answer to a repeat of a commit that has landed
  public static void commit(Transaction transaction) {
    try {
      transaction.commitTransaction();
    } catch (GuardedOperations.Refused e) {
      throw e.refusal();
    }
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
