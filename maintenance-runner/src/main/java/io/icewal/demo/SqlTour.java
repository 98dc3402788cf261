package io.icewal.demo;

import java.util.function.Consumer;

/// The steps of a tour with an engine that speaks SQL, whichever it is.
final class SqlTour {
  /// Which rows are looked at.
  static final String POSTGRESQL = "package LIKE 'postgresql%' AND architecture = 'all'";

  private final Narrator narrator;
  private final DemoCommands commands;
  private final Consumer<String> sql;

  /// @param sql shows a statement and runs it
  SqlTour(Narrator narrator, DemoCommands commands, Consumer<String> sql) {
    this.narrator = narrator;
    this.commands = commands;
    this.sql = sql;
  }

  void in(String way, String engine) {
    narrator.step("Rows go in by Flight, and out by " + way);
    commands.run(
        "table", "create", Demo.TABLE, "--key", "package,architecture", "--columns", Demo.COLUMNS);
    commands.run("load", Demo.TABLE, commands.sample("packages-base"));
    narrator.tell(
        "The rows were acknowledged when they were safely in the log. No file of the table has been"
            + " written yet, and "
            + engine
            + " sees all of them:");
    sql.accept("SELECT count(*) AS packages, sum(size_bytes) AS bytes FROM " + Demo.TABLE);
    show();
  }

  void newer() {
    narrator.step("Newer rows replace those of the same key at once");
    commands.run(
        "load",
        Demo.TABLE,
        commands.sample("packages-updates"),
        commands.sample("packages-security"));
    show();
  }

  private void show() {
    sql.accept(
        "SELECT package, version, size_bytes FROM "
            + Demo.TABLE
            + " WHERE "
            + POSTGRESQL
            + " ORDER BY package LIMIT 6");
  }

  /// What the engine changed, seen by others.
  void back(String columns) {
    commands.run("cat", Demo.TABLE, "--columns", columns, "--where", POSTGRESQL, "--limit", "6");
    narrator.tell("So has the next snapshot, for every other Iceberg reader:");
    commands.run("flush", Demo.TABLE);
    commands.run(
        "cat", Demo.TABLE, "--no-tail", "--columns", "package,section", "--where", POSTGRESQL);
  }
}
