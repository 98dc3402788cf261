package io.icewal.demo;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.function.ToIntFunction;

/// The tour with Spark: rows in by Flight, out by Spark's SQL at once, and the other way round.
public final class SparkDemo {
  private final Narrator narrator;
  private final SqlTour tour;
  private final ToIntFunction<String> spark;

  /// @param samples the folder of the sample files
  /// @param icewal runs a command line and returns its exit code
  /// @param spark runs a statement in Spark and returns an exit code
  public SparkDemo(
      Path samples, ToIntFunction<String[]> icewal, ToIntFunction<String> spark, PrintStream out) {
    this.narrator = new Narrator(out);
    this.tour = new SqlTour(narrator, new DemoCommands(narrator, samples, icewal), this::sql);
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
    tour.in("Spark", "Spark");
    tour.newer();
    back();
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
            + SqlTour.POSTGRESQL
            + ") s ON t.package = s.package AND t.architecture = s.architecture"
            + " WHEN MATCHED AND t.package = 'postgresql-doc-15' THEN DELETE"
            + " WHEN MATCHED THEN UPDATE SET section = 'postgres'");
    narrator.tell("A Flight client's next read has it:");
    tour.back("package,version,section");
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
