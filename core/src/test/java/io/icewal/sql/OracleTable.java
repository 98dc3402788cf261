package io.icewal.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/// What a table must hold, in memory: its columns and rows as every acknowledged change has made
/// them. A row is a list of values in the order of the columns.
final class OracleTable {
  /// A value of a row: a column's, or one within it.
  ///
  /// @param path the column's index, then indexes of fields
  record Path(String sql, OracleType type, List<Integer> path) {
    Object of(List<Object> row) {
      Object value = row.get(path.get(0));
      for (int i = 1; i < path.size() && value != null; i++) {
        value = ((List<?>) value).get(path.get(i));
      }
      return value;
    }
  }

  final String name;
  private final OracleEngine engine;
  private final List<OracleColumn> columns;
  private final List<List<Object>> rows = new ArrayList<>();

  OracleTable(String name, List<OracleColumn> columns, OracleEngine engine) {
    this.name = name;
    this.engine = engine;
    this.columns = new ArrayList<>(columns);
  }

  List<OracleColumn> columns() {
    return columns;
  }

  List<List<Object>> rows() {
    return rows;
  }

  String literal(Path path, Object value) {
    return path.type().literal(engine, value);
  }

  String literal(OracleColumn column, Object value) {
    return column.type().literal(engine, value);
  }

  boolean isKeyed() {
    return columns.stream().anyMatch(OracleColumn::key);
  }

  List<Object> key(List<Object> row) {
    List<Object> key = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).key()) {
        key.add(row.get(i));
      }
    }
    return key;
  }

  List<Object> randomRow(Random random) {
    List<Object> row = new ArrayList<>();
    for (OracleColumn column : columns) {
      row.add(column.value(random));
    }
    return row;
  }

  /// Rows of which no two have the same key.
  List<List<Object>> randomRows(Random random, int max) {
    List<List<Object>> chosen = new ArrayList<>();
    List<List<Object>> keys = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(max); i++) {
      List<Object> row = randomRow(random);
      if (!isKeyed() || !keys.contains(key(row))) {
        keys.add(key(row));
        chosen.add(row);
      }
    }
    return chosen;
  }

  void write(List<Object> row) {
    if (isKeyed()) {
      delete(row);
    }
    rows.add(row);
  }

  /// Removes what has the key of a row.
  void delete(List<Object> row) {
    List<Object> key = key(row);
    rows.removeIf(old -> key(old).equals(key));
  }

  List<List<Object>> where(Predicate<List<Object>> condition) {
    return rows.stream().filter(condition).toList();
  }

  int index(OracleColumn column) {
    return columns.indexOf(column);
  }

  void add(OracleColumn column) {
    columns.add(column);
    rows.forEach(row -> row.add(column.ofOldRows()));
  }

  void drop(OracleColumn column) {
    int at = index(column);
    columns.remove(at);
    rows.forEach(row -> row.remove(at));
  }

  void replace(OracleColumn column, OracleColumn by) {
    columns.set(index(column), by);
  }

  /// The table with every value passed through a change of its type.
  void widen(OracleColumn column) {
    int at = index(column);
    columns.set(at, column.withType(column.type().widened()));
    rows.forEach(row -> row.set(at, OracleType.widen(row.get(at))));
  }

  /// A field more for the rows that a column holds.
  void addField(OracleColumn column, OracleField field) {
    int at = index(column);
    List<OracleField> fields = new ArrayList<>(column.type().fields());
    fields.add(field);
    OracleType type = new OracleType(column.type().base(), List.copyOf(fields));
    columns.set(at, column.withType(type));
    for (List<Object> row : rows) {
      if (row.get(at) instanceof List<?> values) {
        List<Object> wider = new ArrayList<>(values);
        wider.add(null);
        row.set(at, wider);
      }
    }
  }

  /// All values that can be named: columns, and fields of rows.
  List<Path> paths() {
    List<Path> paths = new ArrayList<>();
    IntStream.range(0, columns.size())
        .forEach(
            i ->
                addPaths(
                    new Path(columns.get(i).name(), columns.get(i).type(), List.of(i)), paths));
    return paths;
  }

  private static void addPaths(Path path, List<Path> to) {
    to.add(path);
    for (int i = 0; path.type().base() == OracleType.Base.ROW && i < fields(path).size(); i++) {
      OracleField field = fields(path).get(i);
      List<Integer> indexes = new ArrayList<>(path.path());
      indexes.add(i);
      addPaths(new Path(path.sql() + "." + field.name(), field.type(), indexes), to);
    }
  }

  private static List<OracleField> fields(Path path) {
    return path.type().fields();
  }

  /// A value that can be compared.
  Path comparable(Random random) {
    List<Path> all = paths().stream().filter(path -> path.type().isComparable()).toList();
    return all.get(random.nextInt(all.size()));
  }
}
