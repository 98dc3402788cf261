package io.icewal.spark;

import io.icewal.sql.BenchCost;
import io.icewal.sql.BenchEngine;
import io.icewal.sql.BenchMain;
import io.icewal.sql.BenchResult;
import io.icewal.sql.BenchTables;
import io.icewal.sql.ReadBench;
import io.icewal.sql.SqlEngine;
import io.icewal.storage.CountingObjectStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Measures fresh reads and writes in Spark beside stock Iceberg, in one session.
///
/// Reads are those of a [ReadBench]. Writes: the same upserts, half of which replace a row, as
/// `MERGE INTO` of a plain Iceberg table, and as `INSERT` and `MERGE INTO` of one of icewal, until
/// acknowledged, seen by a query, and materialized.
///
/// `./icewal bench spark` runs it.
record SparkBench(SparkServer spark) implements BenchEngine {
  private static final String COLUMNS =
      "id bigint NOT NULL, customer string, city string, code string, a double, b double,"
          + " c double, at timestamp";
  // Spark answers count(*) of the stock table from metadata.
  private static final String COUNT = "SELECT count(id) FROM %s WHERE id >= 0";
  private static final Map<String, Long> OPTIONS =
      Map.of(
          "--base", 2_000_000L,
          "--tail", 100_000L,
          "--merge-base", 500_000L,
          "--merge", 20_000L,
          "--rounds", 3L);

  /// @param baseRows of a table that is written
  /// @param rows upserts of it, half of them of keys that it has
  /// @param rounds of each write
  record Writes(long baseRows, long rows, int rounds) {}

  @Override
  public SqlEngine sql() {
    return spark;
  }

  @Override
  public Path folder() {
    return spark.folder;
  }

  @Override
  public CountingObjectStore logStore() {
    return spark.logStore;
  }

  @Override
  public String create(String table) {
    return "CREATE TABLE " + table + " (" + COLUMNS + ") TBLPROPERTIES ('primary-key' = 'id')";
  }

  @Override
  public String select(long from, long rows, long step) {
    return "SELECT id, concat('customer-', id % 1000) AS customer,"
        + " concat('city-', id * 7919 % 100003) AS city, hex(xxhash64(id)) AS code,"
        + " id * 31 % 1000003 / 7D AS a, id / 3D AS b, rand() AS c,"
        + " timestamp_seconds(1700000000 + id) AS at FROM range(%d, %d, %d)"
            .formatted(from, from + rows * step, step);
  }

  @Override
  public String materialize(String table) {
    return "CALL icewal.system.materialize('s." + table + "')";
  }

  /// Of another name of the folder, by which its log is opened anew.
  @Override
  public void addCatalogs(String name) {
    try {
      Files.createSymbolicLink(link(name), spark.folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (String kind : List.of("", "_stock")) {
      String key = "spark.sql.catalog." + name + kind;
      Class<?> type = kind.isEmpty() ? IcewalCatalog.class : StockCatalog.class;
      spark.spark.conf().set(key, type.getName());
      spark.spark.conf().set(key + ".data", link(name).toString());
    }
  }

  private Path link(String catalog) {
    return spark.folder.resolve(catalog);
  }

  /// Spark keeps what it has loaded.
  @Override
  public void dropCatalogs(String name) {
    try {
      Files.delete(link(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void reads(int rounds, Consumer<BenchResult> told) {
    ReadBench bench = new ReadBench(this, rounds, told);
    bench.later("count of keys, empty tail", COUNT, BenchTables.STOCK);
    Map<String, String> queries = new LinkedHashMap<>();
    queries.put("eight columns", ReadBench.ALL_COLUMNS);
    queries.put("two columns, grouped", ReadBench.TWO_COLUMNS);
    queries.put("count of keys", COUNT);
    queries.put("one key", ReadBench.ONE_KEY);
    queries.forEach((name, sql) -> bench.later(name, sql, BenchTables.FRESH));
    queries.forEach(bench::first);
  }

  /// What the upserts took, beside `MERGE INTO` of the plain table.
  void writes(Writes sizes, Consumer<BenchResult> told) {
    for (String table : List.of("written", "stock.s.written_stock")) {
      spark.execute("DROP TABLE IF EXISTS " + table);
    }
    spark.execute(create("written"));
    spark.execute(
        "CREATE TABLE stock.s.written_stock ("
            + COLUMNS
            + ") USING iceberg TBLPROPERTIES ('format-version' = '3',"
            + " 'write.merge.mode' = 'merge-on-read')");
    new BenchTables(this).fill("written", sizes.baseRows());
    spark.execute("INSERT INTO stock.s.written_stock " + select(0, sizes.baseRows(), 1));
    List<BenchCost> stock = new ArrayList<>();
    Map<String, List<BenchCost>> own = new LinkedHashMap<>();
    for (int i = 0; i <= sizes.rounds(); i++) {
      if (i == 1) { // The first round warms up.
        stock.clear();
        own.clear();
      }
      upserts(sizes, 2L * i);
      stock.add(BenchCost.of(() -> merge("stock.s.written_stock")));
      measure(
          own, "INSERT", () -> spark.execute("INSERT INTO written SELECT * FROM stock.s.upserts"));
      upserts(sizes, 2L * i + 1);
      measure(own, "MERGE", () -> merge("written"));
    }
    own.forEach(
        (name, costs) ->
            told.accept(
                new BenchResult(name, BenchCost.median(costs), BenchCost.median(stock), Map.of())));
  }

  private void measure(Map<String, List<BenchCost>> costs, String statement, Runnable work) {
    BenchCost acknowledged = BenchCost.of(work);
    BenchCost visible = BenchCost.of(() -> spark.rows("SELECT count(*), sum(a) FROM written"));
    BenchCost materialized = BenchCost.of(() -> spark.execute(materialize("written")));
    add(costs, statement + " acknowledged", acknowledged);
    add(costs, statement + " and seen", acknowledged.plus(visible));
    add(costs, statement + " and materialized", acknowledged.plus(materialized));
  }

  private static void add(Map<String, List<BenchCost>> costs, String name, BenchCost cost) {
    costs.computeIfAbsent(name, key -> new ArrayList<>()).add(cost);
  }

  /// New upserts: half of them of keys of the base, spread over all of it, half of new keys.
  private void upserts(Writes sizes, long round) {
    spark.execute("DROP TABLE IF EXISTS stock.s.upserts");
    spark.execute("CREATE TABLE stock.s.upserts (" + COLUMNS + ") USING iceberg");
    long half = sizes.rows() / 2;
    long step = sizes.baseRows() / half;
    spark.execute(
        "INSERT INTO stock.s.upserts "
            + select(round % step, half, step)
            + " UNION ALL "
            + select(sizes.baseRows() + round * half, half, 1));
  }

  private void merge(String table) {
    spark.execute(
        "MERGE INTO "
            + table
            + " t USING stock.s.upserts s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
            + " WHEN NOT MATCHED THEN INSERT *");
  }

  private void run(BenchMain main) throws IOException {
    int rounds = (int) main.number("--rounds");
    BenchTables.Sizes sizes = new BenchTables.Sizes(main.number("--base"), main.number("--tail"));
    Writes writes = new Writes(main.number("--merge-base"), main.number("--merge"), rounds);
    main.say(
        "%d rows in files, %d upserts of them in the log; then %d upserts into %d rows; icewal"
            + " beside stock, medians of %d",
        sizes.baseRows(), sizes.tailRows(), writes.rows(), writes.baseRows(), rounds);
    new BenchTables(this).fill(sizes);
    reads(rounds, main::tell);
    writes(writes, main::tell);
  }

  /// Takes `--base N --tail N --merge-base N --merge N --rounds N --data DIR --json`, of which each
  /// may be left out.
  public static void main(String[] arguments) {
    BenchMain.run(
        arguments,
        OPTIONS,
        (main, folder) -> {
          try (SparkServer spark = new SparkServer(folder)) {
            new SparkBench(spark).run(main);
          }
        });
  }
}
