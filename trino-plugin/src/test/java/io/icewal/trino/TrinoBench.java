package io.icewal.trino;

import io.icewal.sql.BenchEngine;
import io.icewal.sql.BenchMain;
import io.icewal.sql.BenchResult;
import io.icewal.sql.BenchTables;
import io.icewal.sql.ReadBench;
import io.icewal.sql.SqlEngine;
import io.icewal.storage.CountingObjectStore;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/// Measures fresh reads in Trino beside stock Iceberg ([ReadBench]). While queries run, another
/// process puts rows into the log ([ArrivingRows]), as an ingest server would.
///
/// `./icewal bench trino` runs it.
record TrinoBench(TrinoServer trino) implements BenchEngine {
  private static final String COUNT = "SELECT count(*) FROM %s";
  private static final Map<String, Long> OPTIONS =
      Map.of(
          "--base", 20_000_000L, "--tail", 1_000_000L, "--rows-per-second", 5_000L, "--rounds", 5L);

  @Override
  public SqlEngine sql() {
    return trino;
  }

  @Override
  public Path folder() {
    return trino.folder;
  }

  @Override
  public CountingObjectStore logStore() {
    return trino.logStore;
  }

  @Override
  public String create(String table) {
    return "CREATE TABLE "
        + table
        + " (id bigint, customer varchar, city varchar, code varchar, a double, b double,"
        + " c double, at timestamp(6) with time zone) WITH (primary_key = ARRAY['id'])";
  }

  @Override
  public String select(long from, long rows, long step) {
    long wide = Math.min(rows, 1_000);
    return """
    SELECT id, 'customer-' || CAST(id %% 1000 AS varchar),
      'city-' || CAST(id * 7919 %% 100003 AS varchar),
      to_hex(xxhash64(to_big_endian_64(id))),
      id * 31 %% 1000003 / 7e0, id / 3e0, random(), from_unixtime(1700000000 + id)
    FROM (SELECT (i * %d + j) * %d + %d id
      FROM UNNEST(sequence(0, %d)) x(i), UNNEST(sequence(0, %d)) y(j))"""
        .formatted(wide, step, from, rows / wide - 1, wide - 1);
  }

  @Override
  public String materialize(String table) {
    return "CALL icewal.system.materialize('s', '" + table + "')";
  }

  @Override
  public void addCatalogs(String name) {
    trino.addCatalogs(name);
  }

  @Override
  public void dropCatalogs(String name) {
    trino.execute("DROP CATALOG " + name);
    trino.execute("DROP CATALOG " + name + "_stock");
  }

  /// What the log holds of the table with a tail.
  private String tail() {
    return trino
        .rows("SELECT rows, blocks, segments FROM icewal.s.\"" + BenchTables.FRESH + "$tail\"")
        .get(0);
  }

  /// Measures tables that are there.
  ///
  /// @param rowsPerSecond that arrive meanwhile
  /// @return what arrived while queries ran
  ArrivingRows.Arrived reads(
      BenchTables.Sizes sizes, int rowsPerSecond, int rounds, Consumer<BenchResult> told)
      throws Exception {
    ReadBench bench = new ReadBench(this, rounds, told);
    bench.later("count(*), empty tail", COUNT, BenchTables.STOCK);
    ArrivingRows arriving = ArrivingRows.start(trino.folder, sizes, rowsPerSecond);
    try {
      // While the tail is as long as was asked for.
      bench.first("eight columns", ReadBench.ALL_COLUMNS);
      bench.first("two columns, grouped", ReadBench.TWO_COLUMNS);
      bench.first("count(*)", COUNT);
      bench.first("one key", ReadBench.ONE_KEY);
      bench.later("eight columns", ReadBench.ALL_COLUMNS, BenchTables.FRESH);
      bench.later("two columns, grouped", ReadBench.TWO_COLUMNS, BenchTables.FRESH);
      bench.later("count(*)", COUNT, BenchTables.FRESH);
      bench.later("one key", ReadBench.ONE_KEY, BenchTables.FRESH);
    } finally {
      arriving.close();
    }
    return arriving.arrived();
  }

  private void run(BenchMain main) throws Exception {
    BenchTables.Sizes sizes = new BenchTables.Sizes(main.number("--base"), main.number("--tail"));
    int rowsPerSecond = (int) main.number("--rows-per-second");
    int rounds = (int) main.number("--rounds");
    main.say(
        "%d rows in files, %d upserts of them in the log, %d more arrive each second;"
            + " fresh beside stock, medians of %d",
        sizes.baseRows(), sizes.tailRows(), rowsPerSecond, rounds);
    long start = System.nanoTime();
    new BenchTables(this).fill(sizes);
    main.say(
        "tables are there after %d s; rows|blocks|segments of the log to read: %s",
        (System.nanoTime() - start) / 1_000_000_000, tail());
    ArrivingRows.Arrived arrived = reads(sizes, rowsPerSecond, rounds, main::tell);
    main.say(
        "%d rows arrived in %d s; the process that wrote them took %d s of CPU",
        arrived.rows(), arrived.time().toSeconds(), arrived.cpu().toSeconds());
    main.put("arrived_rows", arrived.rows());
    main.say("rows|blocks|segments of the log to read: %s", tail());
  }

  /// Takes `--base N --tail N --rows-per-second N --rounds N --data DIR --json`, of which each may
  /// be left out.
  public static void main(String[] arguments) {
    BenchMain.run(
        arguments,
        OPTIONS,
        (main, folder) -> {
          try (TrinoServer trino = TrinoServer.in(folder, 0)) {
            new TrinoBench(trino).run(main);
          }
        });
  }
}
