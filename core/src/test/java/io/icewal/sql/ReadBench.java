package io.icewal.sql;

import io.icewal.storage.StoreOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Measures fresh reads beside stock Iceberg: one server, two tables of the same rows
/// ([BenchTables]).
///
/// Rounds take the tables in turn, so that what else the machine does meets both; CPU time, of the
/// whole process, says more than wall time there. Ratios are of medians.
public final class ReadBench {
  public static final String ALL_COLUMNS =
      "SELECT count(*), sum(id), max(customer), max(city), max(code), sum(a), sum(b), sum(c),"
          + " max(at) FROM %s";
  public static final String TWO_COLUMNS = "SELECT customer, sum(a) FROM %s GROUP BY customer";
  public static final String ONE_KEY = "SELECT * FROM %s WHERE id = 4711";

  /// Not measured: rounds until most of the code is compiled, and for later queries caches are
  /// warm.
  private static final int WARM_UPS = 3;

  private final BenchEngine engine;
  private final int rounds;
  private final Consumer<BenchResult> told;
  private int catalogs;

  /// @param rounds of each query on each table
  /// @param told of each result as soon as it is there
  public ReadBench(BenchEngine engine, int rounds, Consumer<BenchResult> told) {
    this.engine = engine;
    this.rounds = rounds;
    this.told = told;
  }

  private BenchCost cost(String sql) {
    return BenchCost.of(() -> engine.sql().rows(sql));
  }

  /// Queries that follow others, the caches warm.
  ///
  /// @param sql with `%s` for the table
  /// @param table of icewal
  public void later(String name, String sql, String table) {
    List<BenchCost> fresh = new ArrayList<>();
    List<BenchCost> stock = new ArrayList<>();
    Map<StoreOp, Integer> requests = Map.of();
    for (int i = 0; i < WARM_UPS + rounds; i++) {
      engine.logStore().reset();
      fresh.add(cost(sql.formatted("icewal.s." + table)));
      requests = engine.logStore().counts();
      stock.add(cost(sql.formatted("stock.s." + BenchTables.STOCK)));
    }
    tell(name, fresh, stock, requests);
  }

  /// A query by a catalog that has read nothing yet.
  ///
  /// @param sql with `%s` for the table
  public void first(String name, String sql) {
    List<BenchCost> fresh = new ArrayList<>();
    List<BenchCost> stock = new ArrayList<>();
    for (int i = 0; i < WARM_UPS + rounds; i++) {
      String catalog = "cold" + catalogs++;
      engine.addCatalogs(catalog);
      fresh.add(cost(sql.formatted(catalog + ".s." + BenchTables.FRESH)));
      stock.add(cost(sql.formatted(catalog + "_stock.s." + BenchTables.STOCK)));
      engine.dropCatalogs(catalog);
    }
    tell(name + ", first", fresh, stock, Map.of());
  }

  private void tell(
      String name, List<BenchCost> fresh, List<BenchCost> stock, Map<StoreOp, Integer> requests) {
    told.accept(new BenchResult(name, median(fresh), median(stock), requests));
  }

  private static BenchCost median(List<BenchCost> costs) {
    return BenchCost.median(costs.subList(WARM_UPS, costs.size()));
  }
}
