package io.icewal.demo;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.function.ToIntFunction;

/// The tour with Spark: rows in by Flight, out by Spark's SQL at once, and the other way round.
public final class SparkDemo {
  private static final String POSTGRESQL = "package LIKE 'postgresql%' AND architecture = 'all'";

  private final Narrator narrator;
  private final DemoCommands commands;
  private final ToIntFunction<String> spark;

  /// @param samples the folder of the sample files
  /// @param icewal runs a command line and returns its exit code
  /// @param spark runs a statement in Spark and returns an exit code
  public SparkDemo(
      Path samples, ToIntFunction<String[]> icewal, ToIntFunction<String> spark, PrintStream out) {
    this.narrator = new Narrator(out);
    this.commands = new DemoCommands(narrator, samples, icewal);
    this.spark = spark;
  }

  /// Says what is being waited for.
  public void tellOfTheStart(String flight) {
    narrator.step("A server, and Spark, over one folder");
    narrator.tell(
        "An icewal server takes rows by Flight, at "
            + flight
            + ". Beside it starts Spark with icewal's catalog, as './icewal spark-sql' does. They"
            + " know nothing of each other: both work on the warehouse and its log. Spark needs a"
            + " moment …");
  }

  /// Takes the tour.
  public void run() {
    narrator.line("");
    narrator.tell("Spark is there.");
    in();
    newer();
    back();
  }

  private void in() {
    narrator.step("Rows go in by Flight, and out by Spark");
    commands.run(
        "table", "create", Demo.TABLE, "--key", "package,architecture", "--columns", Demo.COLUMNS);
    commands.run("load", Demo.TABLE, commands.sample("packages-base"));
    narrator.tell(
        "The rows were acknowledged when they were safely in the log. No file of the table has been"
            + " written yet, and Spark sees all of them:");
    sql("SELECT count(*) AS packages, sum(size_bytes) AS bytes FROM " + Demo.TABLE);
    show();
  }

  private void newer() {
    narrator.step("Newer rows replace those of the same key at once");
    commands.run(
        "load",
        Demo.TABLE,
        commands.sample("packages-updates"),
        commands.sample("packages-security"));
    show();
  }

  private void back() {
    narrator.step("Spark changes rows, and Flight sees it");
    narrator.tell(
        "MERGE, UPDATE, DELETE and INSERT go into the same log, all of a statement or nothing:");
    sql(
        "MERGE INTO "
            + Demo.TABLE
            + " t USING (SELECT package, architecture FROM "
            + Demo.TABLE
            + " WHERE "
            + POSTGRESQL
            + ") s ON t.package = s.package AND t.architecture = s.architecture"
            + " WHEN MATCHED AND t.package = 'postgresql-doc-15' THEN DELETE"
            + " WHEN MATCHED THEN UPDATE SET section = 'postgres'");
    narrator.tell("A Flight client's next read has it:");
    commands.run(
        "cat",
        Demo.TABLE,
        "--columns",
        "package,version,section",
        "--where",
        POSTGRESQL,
        "--limit",
        "6");
    narrator.tell("So has the next snapshot, for every other Iceberg reader:");
    commands.run("flush", Demo.TABLE);
    commands.run(
        "cat", Demo.TABLE, "--no-tail", "--columns", "package,section", "--where", POSTGRESQL);
  }

  private void show() {
    sql(
        "SELECT package, version, size_bytes FROM "
            + Demo.TABLE
            + " WHERE "
            + POSTGRESQL
            + " ORDER BY package LIMIT 6");
  }

  private void sql(String statement) {
    narrator.line("");
    narrator.line("icewal> " + statement + ";");
    int code = spark.applyAsInt(statement);
    if (code != 0) {
      throw new IllegalStateException("the statement ended with exit code " + code);
    }
    narrator.line("");
  }

  /// Says what to try next when all is gone.
  public void tellWhatIsNext() {
    narrator.step("What to try next");
    narrator.line("  ./icewal demo --spark --keep      the same, and the server stays for you");
    narrator.line(
        "  ./icewal server                   a server of your own, data in ./icewal-data");
    narrator.line(
        "  ./icewal spark-sql                in another terminal: Spark on the same data");
  }

  /// Says how to reach what stays.
  public void tellHowToGoOn(String flight, Path data) {
    narrator.step("The server stays. In another terminal:");
    narrator.line("  export ICEWAL_SERVER=" + flight);
    narrator.line("  ./icewal cat " + Demo.TABLE + " --limit 3");
    narrator.line("  ./icewal spark-sql --data " + data);
    narrator.line("");
    narrator.line("Ctrl-C ends the server and removes its folder.");
  }
}
