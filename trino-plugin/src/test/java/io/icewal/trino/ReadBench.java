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
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/// Measures fresh reads beside stock Iceberg: one server, two tables of the same rows
/// ([BenchTables]). While queries run, another process puts rows into the log of the first
/// ([ArrivingRows]), as an ingest server would.
///
/// `./icewal bench trino` runs it ([ReadBenchMain]). Rounds take the tables in turn, so that what
/// else the machine does meets both; CPU time, of the whole process, says more than wall time
/// there. Ratios are of medians.
final class ReadBench {
  /// Not measured: queries until the code is compiled and caches are warm.
  private static final int WARM_UPS = 1;

  private static final Map<String, String> QUERIES = queries();
  private static final List<String> FIRST_QUERIES = List.of("eight columns", "count(*)");

  /// @param baseRows in files, a multiple of 1,000
  /// @param tailRows upserts of keys of the base that are in the log only, a multiple of 20,000
  /// @param rowsPerSecond that arrive meanwhile
  /// @param rounds of each query on each table
  record Sizes(long baseRows, long tailRows, int rowsPerSecond, int rounds) {
    /// How far the keys of the tail are apart.
    long step() {
      return baseRows / tailRows;
    }
  }

  /// One query's cost.
  ///
  /// @param requests of the log's store; none where they are not counted
  private record Cost(double wallMillis, double cpuMillis, Map<StoreOp, Integer> requests) {}

  /// What a query took on both tables: medians.
  ///
  /// @param requests that the fresh read sent to the log's store, the last time
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
          "%-28s CPU ratio %.2f (%.0f ms, %.0f ms)  wall ratio %.2f (%.0f ms, %.0f ms)  %s",
          query,
          cpuRatio(),
          fresh.cpuMillis(),
          stock.cpuMillis(),
          wallRatio(),
          fresh.wallMillis(),
          stock.wallMillis(),
          requests.isEmpty() ? "" : "requests " + requests);
    }
  }

  private final TrinoServer trino;
  private final Sizes sizes;
  private final Consumer<Result> report;
  private int catalogs;

  /// @param report told of each result as soon as it is there
  ReadBench(TrinoServer trino, Sizes sizes, Consumer<Result> report) {
    this.trino = trino;
    this.sizes = sizes;
    this.report = report;
  }

  private static Map<String, String> queries() {
    Map<String, String> queries = new LinkedHashMap<>();
    queries.put(
        "eight columns",
        "SELECT count(*), sum(id), max(customer), max(city), max(code), sum(a), sum(b), sum(c),"
            + " max(at) FROM %s");
    queries.put("two columns, grouped", "SELECT customer, sum(a) FROM %s GROUP BY customer");
    queries.put("count(*)", "SELECT count(*) FROM %s");
    queries.put("one key", "SELECT * FROM %s WHERE id = 4711");
    return queries;
  }

  /// What arrived while queries ran.
  ArrivingRows.Arrived run() throws Exception {
    String empty = "icewal.s." + BenchTables.STOCK;
    report.accept(later("count(*), empty tail", QUERIES.get("count(*)"), empty));
    ArrivingRows arriving = ArrivingRows.start(trino.folder, sizes);
    try {
      QUERIES.forEach(
          (name, sql) -> report.accept(later(name, sql, "icewal.s." + BenchTables.FRESH)));
      FIRST_QUERIES.forEach(name -> report.accept(first(name + ", first", QUERIES.get(name))));
    } finally {
      arriving.close();
    }
    return arriving.arrived();
  }

  private Cost cost(String sql) {
    CountingObjectStore log = trino.logStore;
    log.reset();
    long wall = System.nanoTime();
    long cpu = cpuNanos();
    trino.runner.execute(sql);
    return new Cost(
        (System.nanoTime() - wall) / 1e6, (cpuNanos() - cpu) / 1e6, new TreeMap<>(log.counts()));
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static Cost median(List<Cost> costs) {
    return new Cost(median(costs, Cost::wallMillis), median(costs, Cost::cpuMillis), Map.of());
  }

  private static double median(List<Cost> costs, ToDoubleFunction<Cost> part) {
    return costs.stream()
        .mapToDouble(part)
        .sorted()
        .skip(costs.size() / 2)
        .findFirst()
        .orElseThrow();
  }

  /// Queries that follow others, the caches warm.
  private Result later(String name, String sql, String table) {
    List<Cost> fresh = new ArrayList<>();
    List<Cost> stock = new ArrayList<>();
    for (int i = 0; i < WARM_UPS + sizes.rounds(); i++) {
      fresh.add(cost(sql.formatted(table)));
      stock.add(cost(sql.formatted("stock.s." + BenchTables.STOCK)));
    }
    return result(
        name,
        fresh.subList(WARM_UPS, fresh.size()),
        stock.subList(WARM_UPS, stock.size()),
        fresh.get(fresh.size() - 1).requests());
  }

  /// A query by a catalog that has read nothing yet.
  private Result first(String name, String sql) {
    List<Cost> fresh = new ArrayList<>();
    List<Cost> stock = new ArrayList<>();
    for (int i = 0; i < sizes.rounds(); i++) {
      String catalog = "cold" + catalogs++;
      trino.addCatalogs(catalog);
      fresh.add(cost(sql.formatted(catalog + ".s." + BenchTables.FRESH)));
      stock.add(cost(sql.formatted(catalog + "_stock.s." + BenchTables.STOCK)));
      trino.execute("DROP CATALOG " + catalog);
      trino.execute("DROP CATALOG " + catalog + "_stock");
    }
    return result(name, fresh, stock, Map.of());
  }

  private static Result result(
      String name, List<Cost> fresh, List<Cost> stock, Map<StoreOp, Integer> requests) {
    return new Result(name, median(fresh), median(stock), requests);
  }
}
