package io.icewal.table;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateProperties;

/// Makes a table that another engine is about to create, or to replace, one of icewal's.
public final class TableStart {
  private TableStart() {}

  /// Adds to the engine's transaction what a table of icewal has: its key, icewal's own defaults,
  /// an empty snapshot and the position. The transaction is not committed.
  ///
  /// @param transaction of a table in format version 3
  /// @param key names of required columns; empty for an append-only table
  /// @param logEnd the end of the log that a table with the given UUID belongs to
  /// @throws IcewalException INVALID for what icewal does not keep
  public static void add(
      Transaction transaction, List<String> key, Function<UUID, Position> logEnd) {
    if (!key.isEmpty()) {
      try {
        transaction.updateSchema().setIdentifierFields(key).commit();
      } catch (IllegalArgumentException e) {
        throw new IcewalException(
            ErrorKind.INVALID, "primary key " + key + " cannot be: " + e.getMessage(), e);
      }
    }
    TableRules.check(transaction.table().schema());
    UpdateProperties properties = transaction.updateProperties();
    Map<String, String> given = transaction.table().properties();
    TableRules.defaults(transaction.table().schema()).entrySet().stream()
        .filter(entry -> !given.containsKey(entry.getKey()))
        .forEach(entry -> properties.set(entry.getKey(), entry.getValue()));
    properties.commit();
    IcewalTables.begin(transaction, logEnd.apply(transaction.table().uuid()));
  }
}
