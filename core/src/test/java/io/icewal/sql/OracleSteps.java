package io.icewal.sql;

import io.icewal.TestTables;
import io.icewal.model.RowOp;
import io.icewal.sql.OracleType.Base;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.iceberg.data.Record;

/// Changes of rows at random, done to a table and to its oracle alike.
final class OracleSteps {
  private static final int ROWS_MAX = 12;
  private static final int TABLE_ROWS_MAX = 150;

  private final OracleRun run;
  private final OracleEngine engine;
  private final TestTables tables;
  private final Random random;

  OracleSteps(OracleRun run) {
    this.run = run;
    this.engine = run.engine;
    this.tables = run.tables;
    this.random = run.random;
  }

  /// Changes some rows.
  void change(OracleTable table) {
    int kind = random.nextInt(20);
    switch (kind) {
      case 0, 1, 2, 3 -> put(table);
      case 4, 5 -> insert(table);
      case 6 -> insertFromItself(table);
      case 7, 8, 9, 10 -> update(table);
      case 11, 12 -> delete(table);
      case 13, 14 -> merge(table);
      case 15, 16 -> putDeletes(table);
      case 17, 18 -> putMixed(table);
      default -> {
        if (random.nextBoolean()) {
          clear(table);
        } else {
          overwrite(table);
        }
      }
    }
  }

  private Record record(OracleTable table, List<Object> row) {
    Record record = tables.row(table.name);
    for (int i = 0; i < row.size(); i++) {
      record.set(
          i,
          table
              .columns()
              .get(i)
              .type()
              .toIceberg(row.get(i), record.struct().fields().get(i).type()));
    }
    return record;
  }

  private List<Record> records(OracleTable table, List<List<Object>> rows) {
    return rows.stream().map(row -> record(table, row)).toList();
  }

  /// As an ingestor does, where a key may come twice.
  private List<List<Object>> anyRows(OracleTable table) {
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(ROWS_MAX); i++) {
      rows.add(table.randomRow(random));
    }
    return rows;
  }

  private void put(OracleTable table) {
    List<List<Object>> rows = anyRows(table);
    run.note("put " + rows);
    tables.upsert(table.name, records(table, rows));
    rows.forEach(table::write);
  }

  private void putDeletes(OracleTable table) {
    if (!table.isKeyed()) {
      put(table);
      return;
    }
    List<List<Object>> rows = anyRows(table);
    run.note("put deletes of " + rows);
    tables.delete(table.name, records(table, rows));
    rows.forEach(table::delete);
  }

  private void putMixed(OracleTable table) {
    if (!table.isKeyed()) {
      put(table);
      return;
    }
    List<List<Object>> rows = anyRows(table);
    byte[] ops = new byte[rows.size()];
    for (int i = 0; i < ops.length; i++) {
      ops[i] = random.nextBoolean() ? RowOp.DELETE : RowOp.UPSERT;
      if (ops[i] == RowOp.DELETE) {
        table.delete(rows.get(i));
      } else {
        table.write(rows.get(i));
      }
    }
    run.note("put mixed " + rows + " " + java.util.Arrays.toString(ops));
    tables.mixed(table.name, records(table, rows), ops);
  }

  private void clear(OracleTable table) {
    switch (random.nextInt(3)) {
      case 0 -> run.execute("TRUNCATE TABLE " + table.name);
      case 1 -> run.execute("DELETE FROM " + table.name);
      default -> {
        run.note("put truncate");
        tables.truncate(table.name);
      }
    }
    table.rows().clear();
  }

  /// New rows in the place of all, where the engine can do that.
  private void overwrite(OracleTable table) {
    List<List<Object>> rows = table.randomRows(random, ROWS_MAX);
    List<OracleEngine.Action> ways = engine.overwrites(table.name, constants(table, rows));
    if (ways.isEmpty()) {
      clear(table);
      return;
    }
    run.actOne(ways);
    table.rows().clear();
    rows.forEach(table::write);
  }

  /// A query that gives some rows.
  private String constants(OracleTable table, List<List<Object>> rows) {
    return constants(table, table.columns(), rows);
  }

  private String constants(OracleTable table, List<OracleColumn> columns, List<List<Object>> rows) {
    return "SELECT * FROM "
        + engine.values(
            rows.stream().map(row -> values(table, columns, row)).toList(),
            "x",
            columns.stream().map(OracleColumn::name).toArray(String[]::new));
  }

  private static String names(List<OracleColumn> columns) {
    return columns.stream().map(OracleColumn::name).collect(Collectors.joining(", "));
  }

  private static String values(OracleTable table, List<OracleColumn> columns, List<Object> row) {
    return columns.stream()
        .map(column -> table.literal(column, row.get(table.index(column))))
        .collect(Collectors.joining(", "));
  }

  /// All columns, or some: the others get their default.
  private void insert(OracleTable table) {
    List<OracleColumn> some =
        table.columns().stream()
            .filter(column -> column.required() || random.nextInt(5) > 0)
            .toList();
    // A row alone in VALUES would be taken apart.
    List<OracleColumn> named = some.size() < 2 ? table.columns() : some;
    List<List<Object>> rows = table.randomRows(random, ROWS_MAX);
    boolean all = named.equals(table.columns());
    run.actOne(engine.inserts(table.name, names(named), all, constants(table, named, rows)));
    for (List<Object> row : rows) {
      for (OracleColumn column : table.columns()) {
        if (!named.contains(column)) {
          row.set(table.index(column), column.ofOldRows());
        }
      }
      table.write(row);
    }
  }

  /// An expression of a column that gives other values for other values.
  ///
  /// @param of the same in memory
  private record Shift(OracleColumn column, String sql, UnaryOperator<Object> of) {}

  private static Shift shift(OracleColumn column) {
    String name = column.name();
    return switch (column.type().base()) {
      case INTEGER -> new Shift(column, name + " + 3", value -> (Integer) value + 3);
      case BIGINT -> new Shift(column, name + " + 3", value -> (Long) value + 3);
      case VARCHAR -> new Shift(column, name + " || 'x'", value -> value + "x");
      case DATE ->
          new Shift(column, name + " + INTERVAL '1' DAY", value -> ((LocalDate) value).plusDays(1));
      default -> new Shift(column, name, value -> value);
    };
  }

  /// The rows with one or two columns changed, by an expression or to a constant.
  private List<Shift> shifts(OracleTable table) {
    List<OracleColumn> columns = new ArrayList<>(table.columns());
    java.util.Collections.shuffle(columns, random);
    List<Shift> shifts = new ArrayList<>();
    for (OracleColumn column : columns.subList(0, Math.min(2, columns.size()))) {
      Shift shift = shift(column);
      boolean constant = !column.key() && random.nextBoolean();
      Object value = column.value(random);
      shifts.add(constant ? new Shift(column, table.literal(column, value), old -> value) : shift);
    }
    return shifts;
  }

  private static List<Object> shifted(OracleTable table, List<Object> row, List<Shift> shifts) {
    List<Object> changed = new ArrayList<>(row);
    for (Shift shift : shifts) {
      int at = table.index(shift.column());
      Object old = row.get(at);
      boolean constant = !shift.sql().startsWith(shift.column().name());
      changed.set(at, old == null && !constant ? null : shift.of().apply(old));
    }
    return changed;
  }

  private void update(OracleTable table) {
    if (!canChange(table)) {
      insert(table);
      return;
    }
    settle(table);
    OracleCondition condition = OracleCondition.random(table, random);
    List<Shift> shifts = shifts(table);
    run.execute(
        "UPDATE %s SET %s WHERE %s"
            .formatted(
                table.name,
                shifts.stream()
                    .map(shift -> shift.column().name() + " = " + shift.sql())
                    .collect(Collectors.joining(", ")),
                condition.sql()));
    List<List<Object>> old = table.where(condition::holds);
    table.rows().removeAll(old);
    old.forEach(row -> table.write(shifted(table, row, shifts)));
  }

  private void insertFromItself(OracleTable table) {
    if (table.rows().size() > TABLE_ROWS_MAX) {
      clear(table);
      return;
    }
    OracleCondition condition = OracleCondition.random(table, random);
    List<Shift> shifts = shifts(table);
    List<List<Object>> read = table.where(condition::holds);
    String query =
        "SELECT %s FROM %s WHERE %s"
            .formatted(
                table.columns().stream()
                    .map(column -> expression(column, shifts) + " AS " + column.name())
                    .collect(Collectors.joining(", ")),
                table.name,
                condition.sql());
    run.actOne(engine.inserts(table.name, names(table.columns()), true, query));
    read.forEach(row -> table.write(shifted(table, row, shifts)));
  }

  private static String expression(OracleColumn column, List<Shift> shifts) {
    return shifts.stream()
        .filter(shift -> shift.column().equals(column))
        .map(Shift::sql)
        .findFirst()
        .orElse(column.name());
  }

  private void delete(OracleTable table) {
    if (!canChange(table)) {
      insertFromItself(table);
      return;
    }
    settle(table);
    OracleCondition condition = OracleCondition.random(table, random);
    run.execute("DELETE FROM %s WHERE %s".formatted(table.name, condition.sql()));
    table.rows().removeAll(table.where(condition::holds));
  }

  private boolean canChange(OracleTable table) {
    return table.isKeyed() || engine.changesKeyless();
  }

  /// Rows without a key are changed in files only.
  private void settle(OracleTable table) {
    if (!table.isKeyed()) {
      run.note("materialize");
      tables.materialize(table.name);
    }
  }

  /// New rows, some of them said to be gone: `op` is 0 to delete, 1 to write.
  private void merge(OracleTable table) {
    if (!table.isKeyed()) {
      insertFromItself(table);
      return;
    }
    List<List<Object>> rows = table.randomRows(random, ROWS_MAX);
    List<Integer> ops = rows.stream().map(row -> random.nextInt(3)).toList();
    List<String> literals = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      literals.add(values(table, table.columns(), rows.get(i)) + ", " + ops.get(i));
    }
    OracleCondition condition = OracleCondition.random(table, random);
    String unmatched = random.nextInt(3) > 0 ? "" : engine.deleteUnmatched(condition.sql());
    run.execute(mergeSql(table, literals) + unmatched);
    if (!unmatched.isEmpty()) {
      List<List<Object>> keys = rows.stream().map(table::key).toList();
      table
          .rows()
          .removeAll(table.where(row -> condition.holds(row) && !keys.contains(table.key(row))));
    }
    for (int i = 0; i < rows.size(); i++) {
      if (ops.get(i) == 0) {
        table.delete(rows.get(i));
      } else {
        table.write(rows.get(i));
      }
    }
  }

  private String mergeSql(OracleTable table, List<String> rows) {
    List<OracleColumn> columns = table.columns();
    String on =
        columns.stream()
            .filter(OracleColumn::key)
            .map(column -> "t." + column.name() + " = s." + column.name())
            .collect(Collectors.joining(" AND "));
    String set =
        columns.stream()
            .filter(column -> !column.key())
            .map(column -> column.name() + " = s." + column.name())
            .collect(Collectors.joining(", "));
    List<String> names = new ArrayList<>(columns.stream().map(OracleColumn::name).toList());
    String all = names.stream().map(name -> "s." + name).collect(Collectors.joining(", "));
    names.add("op");
    return """
    MERGE INTO %s t USING %s ON %s
    WHEN MATCHED AND s.op = 0 THEN DELETE
    %s
    WHEN NOT MATCHED AND s.op > 0 THEN INSERT (%s) VALUES (%s)\
    """
        .formatted(
            table.name,
            engine.values(rows, "s", names.toArray(String[]::new)),
            on,
            set.isEmpty() ? "" : "WHEN MATCHED THEN UPDATE SET " + set,
            names(columns),
            all);
  }

  /// Whether a column may be made wider.
  static boolean canWiden(OracleColumn column) {
    return column.type().base() == Base.INTEGER || column.type().base() == Base.NARROW_DECIMAL;
  }
}
