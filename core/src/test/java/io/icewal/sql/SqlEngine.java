package io.icewal.sql;

import io.icewal.TestTables;
import java.util.List;

/// A query engine under test, Trino or Spark: its catalog `icewal`, and a catalog `stock` that is
/// the engine's own of Iceberg, on one warehouse. Names without a schema are in
/// [TestTables#SCHEMA].
public interface SqlEngine {
  /// Another process on the same warehouse.
  TestTables tables();

  /// The rows as text ([SqlText]), a row a string, sorted.
  List<String> rows(String sql);

  /// Runs a statement.
  void execute(String sql);

  /// Some constants as a table that stands in FROM or USING.
  ///
  /// @param rows each a list of expressions, without parentheses
  String values(List<String> rows, String alias, String... columns);

  /// A table as it was, in FROM.
  ///
  /// @param version a snapshot's id, or a branch as a string literal
  String versionAsOf(String table, String version);
}
