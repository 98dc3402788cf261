package io.icewal.sql;

import io.icewal.TestTables;
import io.icewal.sql.OracleType.Base;
import java.util.List;
import java.util.Random;

/// Changes of a table's columns, files and log at random, which leave its rows as they are.
final class OracleMaintenance {
  private static final int COLUMNS_MAX = 9;
  private static final List<Base> ADDED =
      List.of(
          Base.INTEGER, Base.BIGINT, Base.VARCHAR, Base.NARROW_DECIMAL, Base.DATE, Base.BOOLEAN);

  private final OracleRun run;
  private final TestTables tables;
  private final Random random;
  private int names;

  OracleMaintenance(OracleRun run) {
    this.run = run;
    this.tables = run.tables;
    this.random = run.random;
  }

  /// Moves rows from the log into files, or tidies.
  ///
  /// @return whether nothing is in the log alone now
  boolean maintain(OracleTable table) {
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        run.note("materialize");
        tables.materialize(table.name);
        return true;
      }
      case 3 -> {
        run.actOne(run.engine.materializations(table.name));
        return true;
      }
      case 4, 5 -> run.actOne(run.engine.tidying(table.name));
      case 6 -> {
        run.note("trim");
        tables.trim();
      }
      default -> {
        run.note("park");
        tables.trim(table.name);
      }
    }
    return false;
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
    run.act(run.engine.addColumn(table.name, name, type, old));
    table.add(new OracleColumn(name, type, false, false, old));
  }

  private static boolean isFree(OracleTable table, String prefix) {
    return table.columns().stream().noneMatch(column -> column.name().startsWith(prefix));
  }

  private void drop(OracleTable table, OracleColumn column) {
    if (column.key() || column.fixed() || table.columns().size() < 3) {
      rename(table, column);
      return;
    }
    run.execute("ALTER TABLE " + table.name + " DROP COLUMN " + column.name());
    table.drop(column);
  }

  private void rename(OracleTable table, OracleColumn column) {
    String name = "r" + names++;
    run.execute("ALTER TABLE %s RENAME COLUMN %s TO %s".formatted(table.name, column.name(), name));
    table.replace(column, column.renamed(name));
  }

  private void widen(OracleTable table) {
    for (OracleColumn column : table.columns()) {
      if (OracleSteps.canWiden(column) && !column.fixed()) {
        run.execute(run.engine.alterType(table.name, column.name(), column.type().widened()));
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
        run.execute(
            "ALTER TABLE %s ADD COLUMN %s.%s %s"
                .formatted(table.name, column.name(), field.name(), run.engine.type(field.type())));
        table.addField(column, field);
        return;
      }
    }
    add(table);
  }
}
