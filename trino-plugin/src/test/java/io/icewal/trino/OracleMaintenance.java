package io.icewal.trino;

import io.icewal.trino.OracleType.Base;
import java.util.List;
import java.util.Random;

/// Changes of a table's columns, files and log at random, which leave its rows as they are.
final class OracleMaintenance {
  private static final int COLUMNS_MAX = 9;
  private static final List<Base> ADDED =
      List.of(
          Base.INTEGER, Base.BIGINT, Base.VARCHAR, Base.NARROW_DECIMAL, Base.DATE, Base.BOOLEAN);

  private final TrinoServer trino;
  private final TestTables tables;
  private final Random random;
  private final List<String> history;
  private int names;

  /// @param history gets what was done
  OracleMaintenance(TrinoServer trino, Random random, List<String> history) {
    this.trino = trino;
    this.tables = trino.tables;
    this.random = random;
    this.history = history;
  }

  private void execute(String sql) {
    history.add(sql);
    trino.execute(sql);
  }

  /// Moves rows from the log into files, or tidies.
  ///
  /// @return whether nothing is in the log alone now
  boolean maintain(OracleTable table) {
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        history.add("materialize");
        tables.materialize(table.name);
        return true;
      }
      case 3 -> {
        execute("CALL icewal.system.materialize('s', '" + table.name + "')");
        return true;
      }
      case 4 -> execute("ALTER TABLE " + table.name + " EXECUTE optimize");
      case 5 -> forget(table);
      case 6 -> {
        history.add("trim");
        tables.trim();
      }
      default -> {
        history.add("park");
        tables.trim(table.name);
      }
    }
    return false;
  }

  private void forget(OracleTable table) {
    String sql =
        "ALTER TABLE %s EXECUTE expire_snapshots(retention_threshold => '0s')"
            .formatted(table.name);
    history.add(sql);
    trino.runner.execute(trino.with("expire_snapshots_min_retention", "0s"), sql);
  }

  /// Changes the columns.
  void alter(OracleTable table) {
    OracleColumn column = table.columns().get(random.nextInt(table.columns().size()));
    switch (random.nextInt(6)) {
      case 0, 1 -> add(table);
      case 2 -> drop(table, column);
      case 3 -> rename(table, column);
      case 4 -> addField(table);
      default -> widen(table);
    }
  }

  private void add(OracleTable table) {
    if (table.columns().size() >= COLUMNS_MAX) {
      return;
    }
    OracleType type = OracleType.of(ADDED.get(random.nextInt(ADDED.size())));
    Object old = random.nextInt(3) == 0 ? type.value(random) : null;
    // A name of a dropped column may come again, as another column.
    String name = "c" + random.nextInt(3) + (isFree(table, "c") ? "" : "_" + names++);
    if (table.columns().stream().anyMatch(column -> column.name().equals(name))) {
      return;
    }
    execute(
        "ALTER TABLE %s ADD COLUMN %s %s%s"
            .formatted(table.name, name, type.sql(), old == null ? "" : defaultOf(type, old)));
    table.add(new OracleColumn(name, type, false, false, old));
  }

  private static boolean isFree(OracleTable table, String prefix) {
    return table.columns().stream().noneMatch(column -> column.name().startsWith(prefix));
  }

  private static String defaultOf(OracleType type, Object value) {
    return " DEFAULT "
        + switch (type.base()) {
          case VARCHAR -> "'" + value + "'";
          case DATE -> "DATE '" + value + "'";
          default -> value.toString();
        };
  }

  private void drop(OracleTable table, OracleColumn column) {
    if (column.key() || column.fixed() || table.columns().size() < 3) {
      rename(table, column);
      return;
    }
    execute("ALTER TABLE " + table.name + " DROP COLUMN " + column.name());
    table.drop(column);
  }

  private void rename(OracleTable table, OracleColumn column) {
    String name = "r" + names++;
    execute("ALTER TABLE %s RENAME COLUMN %s TO %s".formatted(table.name, column.name(), name));
    table.replace(column, column.renamed(name));
  }

  private void widen(OracleTable table) {
    for (OracleColumn column : table.columns()) {
      if (OracleSteps.canWiden(column) && !column.fixed()) {
        execute(
            "ALTER TABLE %s ALTER COLUMN %s SET DATA TYPE %s"
                .formatted(table.name, column.name(), column.type().widened().sql()));
        table.widen(column);
        return;
      }
    }
  }

  /// A field of a row, null in old rows.
  private void addField(OracleTable table) {
    for (OracleColumn column : table.columns()) {
      if (column.type().base() == Base.ROW && column.type().fields().size() < 4) {
        OracleField field = new OracleField("f" + names++, OracleType.of(Base.INTEGER));
        execute(
            "ALTER TABLE %s ADD COLUMN %s.%s %s"
                .formatted(table.name, column.name(), field.name(), field.type().sql()));
        table.addField(column, field);
        return;
      }
    }
    add(table);
  }
}
