package io.icewal.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.iceberg.Table;

/// The tour: a keyed table from its first row to its Iceberg snapshot. Every command that it shows
/// is run as it is shown, against a server of its own in a temporary folder.
public final class Demo {
  static final String TABLE = "demo.packages";
  static final String COLUMNS =
      "package string, architecture string, version string not null, source string,"
          + " section string, priority string, installed_kib bigint, size_bytes bigint not null,"
          + " sha256 string not null, essential boolean not null, depends list<string> not null,"
          + " tags list<string> not null, homepage string, description string";
  private static final String BAD_ROWS =
      """
      {"package":"hello","architecture":"amd64","version":"2.10-3","size_bytes":53072,\
      "sha256":"31a7","essential":false,"depends":[],"tags":[]}
      {"package":"hello-kitty","architecture":null,"version":"1.0","size_bytes":1,\
      "sha256":"31a8","essential":false,"depends":[],"tags":[]}
      {"package":"hello-world","architecture":"amd64","version":"1.0","size_bytes":"large",\
      "sha256":"31a9","essential":false,"depends":[],"tags":[],"licence":"GPL"}
      """;
  private static final String QUERY = "package LIKE 'postgresql%' AND architecture = 'all'";
  private static final String DELETED_KEYS =
      """
      {"package":"hello","architecture":"amd64"}
      {"package":"postgresql-doc-15","architecture":"all"}
      """;

  private final Path folder;
  private final URI server;
  private final DemoCommands commands;
  private final Supplier<Table> table;
  private final Narrator narrator;

  /// @param folder of the demo's own, gone after it
  /// @param samples the folder of the sample files
  /// @param icewal runs a command line and returns its exit code
  /// @param table loads the table with Iceberg
  public Demo(
      Path folder,
      Path samples,
      URI server,
      ToIntFunction<String[]> icewal,
      Supplier<Table> table,
      PrintStream out) {
    this.folder = folder;
    this.server = server;
    this.table = table;
    this.narrator = new Narrator(out);
    this.commands = new DemoCommands(narrator, samples, icewal);
  }

  /// Takes the tour.
  public void run() throws IOException {
    start();
    create();
    load();
    reject();
    materialize();
    change();
    files();
  }

  private void start() {
    narrator.tell(
        "icewal takes rows from many senders, keeps one live row per key, and turns them into a"
            + " standard Apache Iceberg table. This tour runs all of it on this machine, in "
            + folder
            + ".");
    narrator.step("A server");
    narrator.tell(
        "One process listens for rows (Arrow Flight, at "
            + server
            + ") and maintains the tables. It keeps no data of its own: rows go to a log, tables to a"
            + " warehouse, both plain files here and objects in S3 in real life. By hand this is"
            + " './icewal server'.");
  }

  private void create() {
    narrator.step("A table with a key");
    narrator.tell(
        "The sample is a part of Debian's package index. A package is known by its name and"
            + " architecture: that pair is the key, and there will never be two live rows with the"
            + " same one.");
    commands.run("table", "create", TABLE, "--key", "package,architecture", "--columns", COLUMNS);
  }

  private void load() {
    narrator.step("Rows go in, and can be read at once");
    commands.run("load", TABLE, commands.sample("packages-base"));
    narrator.tell(
        "Each batch was acknowledged when it was safely in the log. Nothing is in the Iceberg table"
            + " yet, and still a read sees every row, because it takes the log's tail into account:");
    commands.run("status", TABLE);
    show();
    narrator.tell("Other Iceberg readers see the last snapshot, which is still empty:");
    commands.run("cat", TABLE, "--no-tail", "--columns", "package", "--limit", "5");
  }

  private void reject() throws IOException {
    narrator.step("A bad row is told what is wrong with it");
    narrator.tell(
        "Of these three rows, one has no architecture (a part of the key), and one has a size that is no"
            + " number, and a column that the table does not have. The batch is refused, with the line,"
            + " the column and the reason, so that the sender can correct it:");
    Path bad = folder.resolve("bad.ndjson");
    Files.writeString(bad, BAD_ROWS);
    commands.runExpecting(1, "load", TABLE, bad.toString());
    narrator.tell("Or the good row goes in, and the others are set aside with their verdicts:");
    Path rejects = folder.resolve("rejects.ndjson");
    commands.runExpecting(
        1, "load", TABLE, "--mode", "partial", "--rejects", rejects.toString(), bad.toString());
  }

  private void materialize() {
    narrator.step("The log becomes an Iceberg snapshot");
    narrator.tell(
        "The maintenance loop does this by itself, by size and age. 'flush' asks for it now and waits:");
    commands.run("flush", TABLE);
    commands.run("status", TABLE);
    narrator.tell(
        "Now every Iceberg reader sees the rows. Here is Iceberg's own Java reader, which knows nothing"
            + " of icewal:");
    totals();
  }

  private void change() throws IOException {
    narrator.step("Updates and deletes, by key");
    narrator.tell(
        "Newer versions of packages arrive. Rows with a known key replace the old row, others are new;"
            + " then two keys are deleted.");
    commands.run(
        "load", TABLE, commands.sample("packages-updates"), commands.sample("packages-security"));
    Path deleted = folder.resolve("deleted.ndjson");
    Files.writeString(deleted, DELETED_KEYS);
    commands.run("load", TABLE, "--op", "delete", deleted.toString());
    narrator.tell(
        "A read merges what waits in the log over the snapshot: postgresql is new, its doc gone.");
    show();
    narrator.tell("The next snapshot says the same to everybody, and marks the old rows as dead:");
    commands.run("flush", TABLE);
    commands.run("status", TABLE);
    totals();
  }

  private void show(String... options) {
    List<String> command =
        new ArrayList<>(
            List.of("cat", TABLE, "--columns", "package,version,size_bytes", "--where", QUERY));
    command.addAll(List.of(options));
    command.addAll(List.of("--limit", "6"));
    commands.run(command.toArray(String[]::new));
  }

  private void totals() {
    PlainIceberg.Totals totals = PlainIceberg.totals(table.get(), "size_bytes");
    narrator.line("");
    narrator.line(
        String.format(Locale.ROOT, "  %,d rows, sum(size_bytes) %,d", totals.rows(), totals.sum()));
  }

  private void files() throws IOException {
    narrator.step("What it made");
    new DemoFiles(folder).print(narrator);
  }

  /// Says what to try next when the server is gone.
  public void tellWhatIsNext() {
    narrator.step("What to try next");
    narrator.line(
        "  ./icewal demo --keep                     the same, and the server stays for you");
    narrator.line("  ./icewal demo --trino                    Flight in, SQL out, with Trino");
    narrator.line("  ./icewal demo --spark                    the same with Spark");
    narrator.line(
        "  ./icewal server                          a server of your own, data in ./icewal-data");
    narrator.line("  ./icewal table create my.rows --like FILE.ndjson --key id");
    narrator.line("  ./icewal load my.rows FILE.ndjson        then: cat, status, flush");
    narrator.line("  ./icewal --help                          all commands");
  }

  /// Says how to reach the server that stays.
  ///
  /// @param catalog the SQLite catalog's file
  public void tellHowToGoOn(Path catalog, Path warehouse) {
    narrator.step("The server stays. In another terminal:");
    narrator.line("  export ICEWAL_SERVER=" + server);
    narrator.line("  ./icewal cat " + TABLE + " --limit 3");
    narrator.line("");
    narrator.line("Fresh rows in Python (pip install pyarrow):");
    narrator.line("");
    narrator.line("  import json, pyarrow.flight as fl");
    narrator.line("  client = fl.connect(\"" + server + "\")");
    narrator.line(
        "  ticket = {\"table\": [\"demo\", \"packages\"], \"where\": \"section = 'database'\"}");
    narrator.line("  print(client.do_get(fl.Ticket(json.dumps(ticket))).read_all())");
    narrator.line("");
    narrator.line("The Iceberg table in Python (pip install 'pyiceberg[sql-sqlite,pyarrow]'):");
    narrator.line("");
    narrator.line("  from pyiceberg.catalog.sql import SqlCatalog");
    narrator.line(
        "  catalog = SqlCatalog(\"icewal\", uri=\"sqlite:///"
            + catalog
            + "\", warehouse=\"file://"
            + warehouse
            + "\")");
    narrator.line("  print(catalog.load_table(\"" + TABLE + "\").scan().to_arrow())");
    narrator.line("");
    narrator.line("Ctrl-C ends the server and removes " + folder + ".");
  }
}
