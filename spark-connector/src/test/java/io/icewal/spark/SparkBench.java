package io.icewal.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/// Measures fresh reads and writes in Spark beside stock Iceberg, in one session.
///
/// Reads: two tables of the same rows. In the one the newest rows are in the log only and hide rows
/// of its files; in the other all are in files, with deletion vectors. Writes: the same upserts,
/// half of which replace a row, as `MERGE INTO` of a plain Iceberg table, and as `INSERT` and
/// `MERGE INTO` of one of icewal, until acknowledged, seen by a query, and materialized.
///
/// `./icewal bench spark` runs it. Rounds take the tables in turn, so that what else the machine
/// does meets both; CPU time, of the whole process, says more than wall time there.
final class SparkBench {
  private static final String FRESH = "fresh_rows";
  private static final String STOCK = "stock.s.stock_rows";
  private static final int CHUNK_ROWS = 1_000_000;
  private static final int TAIL_INSERTS = 20;
  private static final String COLUMNS =
      "id bigint NOT NULL, customer string, city string, code string, a double, b double,"
          + " c double, at timestamp";

  private static final Map<String, String> QUERIES = queries();

  /// @param baseRows in files, a multiple of `tailRows`
  /// @param tailRows upserts of keys of the base that are in the log only
  /// @param mergeBaseRows of a table that is written
  /// @param mergeRows upserts of it, half of them of keys that it has
  /// @param rounds of each query and each write
  record Sizes(long baseRows, long tailRows, long mergeBaseRows, long mergeRows, int rounds) {}

  /// What one thing took.
  record Cost(double wallMillis, double cpuMillis) {}

  /// What a thing took on icewal's table and on the other, medians.
  record Result(String name, Cost icewal, Cost stock) {
    double cpuRatio() {
      return icewal.cpuMillis() / stock.cpuMillis();
    }

    double wallRatio() {
      return icewal.wallMillis() / stock.wallMillis();
    }

    String text() {
      return String.format(
          Locale.ROOT,
          "%-28s icewal %7.0f ms (CPU %7.0f)  stock %7.0f ms (CPU %7.0f)  ratio %.2f (CPU %.2f)",
          name,
          icewal.wallMillis(),
          icewal.cpuMillis(),
          stock.wallMillis(),
          stock.cpuMillis(),
          wallRatio(),
          cpuRatio());
    }
  }

  private final SparkServer spark;
  private final Sizes sizes;
  private final Consumer<Result> told;
  private int catalogs;

  /// @param told gets each result as soon as it is there
  SparkBench(SparkServer spark, Sizes sizes, Consumer<Result> told) {
    this.spark = spark;
    this.sizes = sizes;
    this.told = told;
  }

  private Result tell(Result result) {
    told.accept(result);
    return result;
  }

  private static Map<String, String> queries() {
    Map<String, String> queries = new LinkedHashMap<>();
    queries.put(
        "eight columns",
        "SELECT count(*), sum(id), max(customer), max(city), max(code), sum(a), sum(b), sum(c),"
            + " max(at) FROM %s");
    queries.put("two columns", "SELECT customer, sum(a) FROM %s GROUP BY customer");
    queries.put("count of keys", "SELECT count(id) FROM %s WHERE id >= 0");
    queries.put("one key", "SELECT * FROM %s WHERE id = 4711");
    return queries;
  }

  /// Requests to the log's store for a query of a table with an empty tail.
  int requestsOfEmptyTail() {
    spark.execute("CREATE TABLE quiet_rows (id bigint) TBLPROPERTIES ('primary-key' = 'id')");
    spark.execute("INSERT INTO quiet_rows VALUES (1)");
    spark.tables.materialize("quiet_rows");
    spark.tables.trim();
    spark.rows("SELECT max(id) FROM quiet_rows");
    spark.logStore.reset();
    spark.rows("SELECT max(id) FROM quiet_rows");
    return spark.logStore.counts().values().stream().mapToInt(Integer::intValue).sum();
  }

  List<Result> reads() {
    for (String table : List.of(FRESH, "stock_rows")) {
      spark.execute(
          "CREATE TABLE " + table + " (" + COLUMNS + ") TBLPROPERTIES ('primary-key' = 'id')");
      fill(table, sizes.baseRows());
      long step = sizes.baseRows() / sizes.tailRows();
      long rows = sizes.tailRows() / TAIL_INSERTS;
      for (int i = 0; i < TAIL_INSERTS; i++) {
        long from = i * rows * step;
        spark.execute(
            "INSERT INTO "
                + table
                + " "
                + rows("range(%d, %d, %d)", from, from + rows * step, step));
      }
    }
    spark.tables.materialize("stock_rows");
    List<Result> results = new ArrayList<>();
    QUERIES.forEach(
        (name, sql) -> {
          spark.rows(sql.formatted(STOCK)); // So that the first one of the other pays for itself.
          results.add(tell(first(name, sql)));
          results.add(tell(later(name, sql)));
        });
    return results;
  }

  private void fill(String table, long count) {
    for (long from = 0; from < count; from += CHUNK_ROWS) {
      long to = Math.min(count, from + CHUNK_ROWS);
      spark.execute("INSERT INTO " + table + " " + rows("range(%d, %d, %d)", from, to, 1));
      spark.tables.materialize(table);
    }
  }

  private static String rows(String range, long from, long to, long step) {
    return "SELECT id, concat('customer-', id % 1000) AS customer,"
        + " concat('city-', id * 7919 % 100003) AS city, hex(xxhash64(id)) AS code,"
        + " id * 31 % 1000003 / 7D AS a, id / 3D AS b, rand() AS c,"
        + " timestamp_seconds(1700000000 + id) AS at FROM "
        + range.formatted(from, to, step);
  }

  private static Cost cost(Runnable work) {
    long wall = System.nanoTime();
    long cpu = cpuNanos();
    work.run();
    return new Cost((System.nanoTime() - wall) / 1e6, (cpuNanos() - cpu) / 1e6);
  }

  private Cost query(String sql) {
    return cost(() -> spark.rows(sql));
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static Cost median(List<Cost> costs) {
    return new Cost(median(costs, Cost::wallMillis), median(costs, Cost::cpuMillis));
  }

  private static double median(List<Cost> costs, ToDoubleFunction<Cost> value) {
    return costs.stream()
        .mapToDouble(value)
        .sorted()
        .skip(costs.size() / 2)
        .findFirst()
        .orElseThrow();
  }

  /// Queries that follow others, the caches warm.
  private Result later(String name, String sql) {
    query(sql.formatted(FRESH));
    List<Cost> fresh = new ArrayList<>();
    List<Cost> stock = new ArrayList<>();
    for (int i = 0; i < sizes.rounds(); i++) {
      fresh.add(query(sql.formatted(FRESH)));
      stock.add(query(sql.formatted(STOCK)));
    }
    return new Result(name, median(fresh), median(stock));
  }

  /// A query by a catalog that has read nothing yet: of another name of the folder, by which its
  /// log is opened anew.
  private Result first(String name, String sql) {
    List<Cost> fresh = new ArrayList<>();
    List<Cost> stock = new ArrayList<>();
    for (int i = 0; i < sizes.rounds(); i++) {
      String catalog = "cold" + catalogs++;
      Path folder = spark.folder.resolveSibling(spark.folder.getFileName() + "-" + catalog);
      try {
        Files.createSymbolicLink(folder, spark.folder);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      for (String kind : List.of("", "_stock")) {
        String key = "spark.sql.catalog." + catalog + kind;
        Class<?> type = kind.isEmpty() ? IcewalCatalog.class : StockCatalog.class;
        spark.spark.conf().set(key, type.getName());
        spark.spark.conf().set(key + ".data", folder.toString());
      }
      fresh.add(query(sql.formatted(catalog + ".s." + FRESH)));
      stock.add(query(sql.formatted(catalog + "_stock.s.stock_rows")));
    }
    return new Result(name + ", first", median(fresh), median(stock));
  }

  /// What the upserts took, beside `MERGE INTO` of the plain table.
  List<Result> writes() {
    spark.execute("CREATE TABLE written (" + COLUMNS + ") TBLPROPERTIES ('primary-key' = 'id')");
    spark.execute(
        "CREATE TABLE stock.s.written_stock ("
            + COLUMNS
            + ") USING iceberg TBLPROPERTIES ('format-version' = '3',"
            + " 'write.merge.mode' = 'merge-on-read')");
    fill("written", sizes.mergeBaseRows());
    spark.execute(
        "INSERT INTO stock.s.written_stock "
            + rows("range(%d, %d, %d)", 0, sizes.mergeBaseRows(), 1));
    List<Cost> stock = new ArrayList<>();
    Map<String, List<Cost>> own = new LinkedHashMap<>();
    for (int i = 0; i <= sizes.rounds(); i++) {
      if (i == 1) { // The first round warms up.
        stock.clear();
        own.clear();
      }
      upserts(2L * i);
      stock.add(cost(() -> merge("stock.s.written_stock")));
      measure(
          own, "INSERT", () -> spark.execute("INSERT INTO written SELECT * FROM stock.s.upserts"));
      upserts(2L * i + 1);
      measure(own, "MERGE", () -> merge("written"));
    }
    List<Result> results = new ArrayList<>();
    own.forEach((name, costs) -> results.add(tell(new Result(name, median(costs), median(stock)))));
    return results;
  }

  private void measure(Map<String, List<Cost>> costs, String statement, Runnable work) {
    Cost acknowledged = cost(work);
    Cost visible = cost(() -> spark.rows("SELECT count(*), sum(a) FROM written"));
    Cost materialized = cost(() -> spark.execute("CALL icewal.system.materialize('s.written')"));
    costs.computeIfAbsent(statement + " acknowledged", key -> new ArrayList<>()).add(acknowledged);
    costs
        .computeIfAbsent(statement + " and seen", key -> new ArrayList<>())
        .add(sum(acknowledged, visible));
    costs
        .computeIfAbsent(statement + " and materialized", key -> new ArrayList<>())
        .add(sum(acknowledged, materialized));
  }

  private static Cost sum(Cost a, Cost b) {
    return new Cost(a.wallMillis() + b.wallMillis(), a.cpuMillis() + b.cpuMillis());
  }

  /// New upserts: half of them of keys of the base, spread over all of it, half of new keys.
  private void upserts(long round) {
    spark.execute("DROP TABLE IF EXISTS stock.s.upserts");
    spark.execute("CREATE TABLE stock.s.upserts (" + COLUMNS + ") USING iceberg");
    long half = sizes.mergeRows() / 2;
    long step = sizes.mergeBaseRows() / half;
    long fresh = sizes.mergeBaseRows() + round * half;
    spark.execute(
        "INSERT INTO stock.s.upserts "
            + rows("range(%d, %d, %d)", round % step, half * step, step)
            + " UNION ALL "
            + rows("range(%d, %d, %d)", fresh, fresh + half, 1));
  }

  private void merge(String table) {
    spark.execute(
        "MERGE INTO "
            + table
            + " t USING stock.s.upserts s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
            + " WHEN NOT MATCHED THEN INSERT *");
  }

  private static final Map<String, Long> OPTIONS =
      Map.of(
          "--base", 2_000_000L,
          "--tail", 100_000L,
          "--merge-base", 500_000L,
          "--merge", 20_000L,
          "--rounds", 3L);

  private static Sizes sizes(List<String> arguments) {
    Map<String, Long> given = new TreeMap<>(OPTIONS);
    for (int i = 0; i < arguments.size(); i += 2) {
      if (!OPTIONS.containsKey(arguments.get(i)) || i + 1 == arguments.size()) {
        throw new IllegalArgumentException(
            "bad option '"
                + arguments.get(i)
                + "'; expected --json, or one with a number of "
                + new TreeMap<>(OPTIONS).keySet());
      }
      given.put(arguments.get(i), Long.valueOf(arguments.get(i + 1)));
    }
    return new Sizes(
        given.get("--base"),
        given.get("--tail"),
        given.get("--merge-base"),
        given.get("--merge"),
        given.get("--rounds").intValue());
  }

  static String json(int requests, List<Result> results) {
    ObjectNode out = new ObjectMapper().createObjectNode();
    out.put("empty_tail_requests", requests);
    for (Result result : results) {
      ObjectNode one = out.putObject(result.name());
      one.put("wall_ms", Math.round(result.icewal().wallMillis()));
      one.put("cpu_ms", Math.round(result.icewal().cpuMillis()));
      one.put("stock_wall_ms", Math.round(result.stock().wallMillis()));
      one.put("stock_cpu_ms", Math.round(result.stock().cpuMillis()));
    }
    return out.toString();
  }

  /// Takes `--base N --tail N --merge-base N --merge N --rounds N --json`, of which each may be
  /// left out.
  public static void main(String[] arguments) throws Exception {
    List<String> options = new ArrayList<>(List.of(arguments));
    boolean json = options.remove("--json");
    Sizes sizes = sizes(options);
    int code = 1;
    try (SparkServer spark = new SparkServer()) {
      SparkBench bench = new SparkBench(spark, sizes, result -> System.err.println(result.text()));
      int requests = bench.requestsOfEmptyTail();
      System.err.println("requests to the log for a scan of an empty tail: " + requests);
      List<Result> results = new ArrayList<>(bench.reads());
      results.addAll(bench.writes());
      if (json) {
        System.out.println(json(requests, results));
      }
      code = 0;
    } finally {
      // Threads of the session would keep the process alive.
      Runtime.getRuntime().halt(code);
    }
  }
}
