package io.icewal.demo;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.function.ToIntFunction;

/// The tour with Trino: rows in by Flight, out by SQL at once, and the other way round.
public final class TrinoDemo {
  private final Narrator narrator;
  private final DemoCommands commands;
  private final SqlTour tour;

  /// @param samples the folder of the sample files
  /// @param icewal runs a command line and returns its exit code
  public TrinoDemo(Path samples, ToIntFunction<String[]> icewal, PrintStream out) {
    this.narrator = new Narrator(out);
    this.commands = new DemoCommands(narrator, samples, icewal);
    this.tour = new SqlTour(narrator, commands, this::sql);
  }

  /// Says what is being waited for.
  public void tellOfTheStart(String flight) {
    narrator.step("Two servers over one folder");
    narrator.tell(
        "An icewal server takes rows by Flight, at "
            + flight
            + ". Beside it starts a Trino server with icewal's connector; by hand, './icewal server'"
            + " and './icewal trino'. They know nothing of each other: both work on the warehouse and"
            + " its log. Trino needs a moment …");
  }

  /// Takes the tour.
  public void run(String trino) {
    narrator.line("");
    narrator.tell("Trino answers at " + trino + ".");
    tour.in("SQL", "Trino");
    newer();
    back();
  }

  private void newer() {
    tour.newer();
    narrator.tell("What waits in the log is a table, too:");
    sql("SELECT rows, segments, bytes FROM demo.\"packages$tail\"");
  }

  private void back() {
    narrator.step("SQL changes rows, and Flight sees it");
    narrator.tell(
        "UPDATE, DELETE, MERGE and INSERT go into the same log, all of a statement or nothing:");
    sql(
        "UPDATE "
            + Demo.TABLE
            + " SET section = 'postgres', tags = tags || 'seen' WHERE "
            + SqlTour.POSTGRESQL);
    sql("DELETE FROM " + Demo.TABLE + " WHERE package = 'postgresql-doc-15'");
    narrator.tell("A Flight client's next read has both:");
    tour.back("package,version,section,tags");
  }

  private void sql(String statement) {
    commands.run("sql", statement);
  }

  /// Says what to try next when the servers are gone.
  public void tellWhatIsNext() {
    narrator.step("What to try next");
    narrator.line("  ./icewal demo --trino --keep      the same, and the servers stay for you");
    narrator.line(
        "  ./icewal server                   a server of your own, data in ./icewal-data");
    narrator.line(
        "  ./icewal trino                    in another terminal: Trino on the same data");
    narrator.line("  ./icewal sql \"SHOW SCHEMAS\"");
  }

  /// Says how to reach the servers that stay.
  public void tellHowToGoOn(String flight, String trino) {
    narrator.step("The servers stay. In another terminal:");
    narrator.line("  export ICEWAL_SERVER=" + flight + " ICEWAL_TRINO=" + trino);
    narrator.line("  ./icewal sql \"SELECT section, count(*) FROM " + Demo.TABLE + " GROUP BY 1\"");
    narrator.line("  ./icewal cat " + Demo.TABLE + " --limit 3");
    narrator.line("");
    narrator.line("Ctrl-C ends the servers and removes their folder.");
  }
}
