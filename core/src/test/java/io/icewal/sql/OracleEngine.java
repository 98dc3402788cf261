package io.icewal.sql;

import io.icewal.TestTables;
import java.util.List;

/// An engine as [Oracle] drives it: how it says what SQL has no one way for, and what it has of its
/// own.
public interface OracleEngine extends SqlEngine {
  /// Something to do, and how a history names it.
  record Action(String text, Runnable work) {}

  /// @param column null if the table is not partitioned
  record Partition(String transform, String column, int width) {}

  /// A table in FROM as the engine's own Iceberg reads it, whatever columns it has.
  default String stock(String table) {
    return "stock." + TestTables.SCHEMA + "." + table;
  }

  /// A type's name.
  String type(OracleType type);

  /// A value of a type that can be compared, not null.
  String literal(OracleType type, Object value);

  /// An array of values.
  String array(OracleType type, List<String> elements);

  /// A struct of values, without a cast.
  String struct(OracleType type, List<String> values);

  /// @param columns their definitions
  String create(String table, String columns, List<String> key, List<Partition> partitioning);

  /// @param value that old rows have, and new ones that do not name the column; null is none
  Action addColumn(String table, String column, OracleType type, Object value);

  /// A statement that changes a column's type.
  String alterType(String table, String column, OracleType type);

  /// Whether UPDATE and DELETE with a condition are for tables without a key, too.
  boolean changesKeyless();

  /// Ways to append a query's rows.
  ///
  /// @param columns that the query has; the others get their default
  /// @param all whether these are all columns of the table, in their order
  List<Action> inserts(String table, String columns, boolean all, String query);

  /// Ways to put a query's rows in the place of all of a table's; may be none.
  List<Action> overwrites(String table, String query);

  /// Ways to compact a table's files, to forget its snapshots, and so on.
  List<Action> tidying(String table);

  /// Ways to materialize all that the log has of a table.
  List<Action> materializations(String table);

  /// What to add to the end of a MERGE for rows that have no counterpart; empty if the engine knows
  /// no such clause.
  ///
  /// @param condition on the rows of the target
  String deleteUnmatched(String condition);
}
