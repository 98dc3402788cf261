package io.icewal.trino;

import io.icewal.storage.CountingObjectStore;
import io.icewal.storage.StoreOp;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Measures fresh reads beside stock Iceberg: one server, two tables of the same rows. In the one
/// the newest rows are in the log and hide rows of its files; in the other all are in files, with
/// deletion vectors. While queries run, rows arrive in the log of the first.
///
/// `./icewal bench trino` runs it. Rounds take the tables in turn, so that what else the machine
/// does meets both; CPU time, of the whole process, says more than wall time there.
final class ReadBench {
  private static final String FRESH = "fresh_rows";
  private static final String STOCK = "stock.s.stock_rows";
  private static final int CHUNK_ROWS = 1_000_000;
  private static final int TAIL_INSERTS = 20;

  private static final Map<String, String> QUERIES = queries();

  /// @param baseRows in files, a multiple of 1,000
  /// @param tailRows upserts of keys of the base that are in the log only, a multiple of 1,000
  /// @param rowsPerSecond that arrive meanwhile
  /// @param rounds of each query on each table
  record Sizes(long baseRows, long tailRows, int rowsPerSecond, int rounds) {}

  /// One query's cost.
  private record Cost(double wallMillis, double cpuMillis) {}

  /// What a query took on both tables, medians.
  ///
  /// @param requests of the log's store
  record Result(String query, Cost fresh, Cost stock, Map<StoreOp, Integer> requests) {
    double wallRatio() {
      return fresh.wallMillis() / stock.wallMillis();
    }

    double cpuRatio() {
      return fresh.cpuMillis() / stock.cpuMillis();
    }

    String text() {
      return String.format(
          Locale.ROOT,
          "%-18s fresh %7.0f ms (CPU %7.0f)  stock %7.0f ms (CPU %7.0f)  ratio %.2f (CPU %.2f)  %s",
          query,
          fresh.wallMillis(),
          fresh.cpuMillis(),
          stock.wallMillis(),
          stock.cpuMillis(),
          wallRatio(),
          cpuRatio(),
          requests);
    }
  }

  private final TrinoServer trino;
  private final Sizes sizes;
  private int catalogs;

  ReadBench(TrinoServer trino, Sizes sizes) {
    this.trino = trino;
    this.sizes = sizes;
  }

  private static Map<String, String> queries() {
    Map<String, String> queries = new LinkedHashMap<>();
    queries.put(
        "eight columns",
        "SELECT count(*), sum(id), max(customer), max(city), max(code), sum(a), sum(b), sum(c),"
            + " max(at) FROM %s");
    queries.put("two columns", "SELECT customer, sum(a) FROM %s GROUP BY customer");
    queries.put("count", "SELECT count(*) FROM %s");
    queries.put("one key", "SELECT * FROM %s WHERE id = 4711");
    return queries;
  }

  List<Result> run() throws Exception {
    fill();
    try (ArrivingRows ignored = ArrivingRows.start(trino.tables, FRESH, sizes)) {
      List<Result> results = new ArrayList<>();
      QUERIES.values().forEach(sql -> cost(sql.formatted(STOCK)));
      for (Map.Entry<String, String> query : QUERIES.entrySet()) {
        results.add(later(query.getKey(), query.getValue()));
      }
      results.add(first("eight columns", QUERIES.get("eight columns")));
      return results;
    }
  }

  private void fill() {
    for (String table : List.of(FRESH, "stock_rows")) {
      trino.execute(
          "CREATE TABLE "
              + table
              + " (id bigint, customer varchar, city varchar, code varchar, a double, b double,"
              + " c double, at timestamp(6) with time zone) WITH (primary_key = ARRAY['id'])");
      for (long from = 0; from < sizes.baseRows(); from += CHUNK_ROWS) {
        insert(table, from, Math.min(CHUNK_ROWS, sizes.baseRows() - from), 1);
        trino.tables.materialize(table);
      }
      long step = sizes.baseRows() / sizes.tailRows();
      long rows = sizes.tailRows() / TAIL_INSERTS;
      for (int i = 0; i < TAIL_INSERTS; i++) {
        insert(table, i * rows * step, rows, step);
      }
    }
    trino.tables.materialize("stock_rows");
  }

  /// Rows of the keys `from`, `from + step` and so on.
  private void insert(String table, long from, long rows, long step) {
    long wide = Math.min(rows, 1_000);
    trino.execute(
        """
        INSERT INTO %s
        SELECT id, 'customer-' || CAST(id %% 1000 AS varchar),
          'city-' || CAST(id * 7919 %% 100003 AS varchar),
          to_hex(xxhash64(to_big_endian_64(id))),
          id * 31 %% 1000003 / 7e0, id / 3e0, random(), from_unixtime(1700000000 + id)
        FROM (SELECT (i * %d + j) * %d + %d id
          FROM UNNEST(sequence(0, %d)) x(i), UNNEST(sequence(0, %d)) y(j))"""
            .formatted(table, wide, step, from, rows / wide - 1, wide - 1));
  }

  private Cost cost(String sql) {
    long wall = System.nanoTime();
    long cpu = cpuNanos();
    trino.runner.execute(sql);
    return new Cost((System.nanoTime() - wall) / 1e6, (cpuNanos() - cpu) / 1e6);
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static Cost median(List<Cost> costs) {
    return new Cost(
        costs.stream()
            .mapToDouble(Cost::wallMillis)
            .sorted()
            .skip(costs.size() / 2)
            .findFirst()
            .orElseThrow(),
        costs.stream()
            .mapToDouble(Cost::cpuMillis)
            .sorted()
            .skip(costs.size() / 2)
            .findFirst()
            .orElseThrow());
  }

  /// Queries that follow others, the caches warm.
  private Result later(String name, String sql) {
    cost(sql.formatted(FRESH));
    List<Cost> fresh = new ArrayList<>();
    List<Cost> stock = new ArrayList<>();
    Map<StoreOp, Integer> requests = new TreeMap<>();
    for (int i = 0; i < sizes.rounds(); i++) {
      CountingObjectStore log = trino.logStore;
      log.reset();
      fresh.add(cost(sql.formatted(FRESH)));
      requests = new TreeMap<>(log.counts());
      stock.add(cost(sql.formatted(STOCK)));
    }
    return new Result(name, median(fresh), median(stock), requests);
  }

  /// A query by a catalog that has read nothing yet.
  private Result first(String name, String sql) {
    List<Cost> fresh = new ArrayList<>();
    List<Cost> stock = new ArrayList<>();
    for (int i = 0; i < sizes.rounds(); i++) {
      String catalog = "cold" + catalogs++;
      trino.addCatalogs(catalog);
      fresh.add(cost(sql.formatted(catalog + ".s." + FRESH)));
      stock.add(cost(sql.formatted(catalog + "_stock.s.stock_rows")));
    }
    return new Result(name + ", first", median(fresh), median(stock), Map.of());
  }

  private static final Map<String, Long> OPTIONS =
      Map.of(
          "--base", 20_000_000L, "--tail", 1_000_000L, "--rows-per-second", 5_000L, "--rounds", 5L);

  private static Sizes sizes(String[] arguments) {
    Map<String, Long> given = new TreeMap<>(OPTIONS);
    for (int i = 0; i < arguments.length; i += 2) {
      if (!OPTIONS.containsKey(arguments[i]) || i + 1 == arguments.length) {
        throw new IllegalArgumentException(
            "bad option '"
                + arguments[i]
                + "'; expected "
                + OPTIONS.keySet()
                + ", each with a number");
      }
      given.put(arguments[i], Long.valueOf(arguments[i + 1]));
    }
    return new Sizes(
        given.get("--base"),
        given.get("--tail"),
        given.get("--rows-per-second").intValue(),
        given.get("--rounds").intValue());
  }

  /// Takes `--base N --tail N --rows-per-second N --rounds N`, of which each may be left out.
  public static void main(String[] arguments) throws Exception {
    Sizes sizes = sizes(arguments);
    int code = 1;
    try (TrinoServer trino = new TrinoServer(0)) {
      for (Result result : new ReadBench(trino, sizes).run()) {
        System.err.println(result.text());
      }
      code = 0;
    } finally {
      // The server's threads would keep the process alive.
      Runtime.getRuntime().halt(code);
    }
  }
}
