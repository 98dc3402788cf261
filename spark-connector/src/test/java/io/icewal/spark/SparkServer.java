package io.icewal.spark;

import io.icewal.TestTables;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.sql.SqlEngine;
import io.icewal.storage.CountingObjectStore;
import io.icewal.storage.FaultyObjectStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.connector.catalog.View;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A session with two catalogs on one embedded warehouse: `icewal`, and `stock`, which is
/// iceberg-spark as it is. All test classes share one: they ask for it as a parameter.
final class SparkServer implements SqlEngine, AutoCloseable {
  /// Starts the session with the first class that asks; JUnit closes it after the last one.
  static final class Shared implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == SparkServer.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getRoot()
          .getStore(ExtensionContext.Namespace.create(SparkServer.class))
          .computeIfAbsent("server", key -> new SparkServer(), SparkServer.class);
    }
  }

  private static final AtomicReference<Runnable> WHEN_READ = new AtomicReference<>();

  final Path folder;
  final TestTables tables;
  final SparkSession spark;

  /// Of the log, as the connector uses it.
  CountingObjectStore logStore;

  /// Below [#logStore]: passes everything on until it is told otherwise.
  FaultyObjectStore logFaults;

  SparkServer() {
    this(newFolder());
  }

  /// A session on the embedded warehouse in a folder, which may be there already.
  SparkServer(Path folder) {
    this.folder = folder;
    tables = new TestTables(folder);
    Warehouse.of(
        WarehouseSettings.of("icewal", Map.of("data", folder.toString())),
        store -> {
          logFaults = new FaultyObjectStore(store, new SplittableRandom(1));
          logStore = new CountingObjectStore(logFaults);
          return logStore;
        });
    spark =
        SparkSession.builder()
            .master("local[2, 4]")
            .appName("icewal")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", folder + "/own")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.datetime.java8API.enabled", "true")
            .config("spark.sql.defaultCatalog", "icewal")
            .config("spark.sql.catalog.icewal", IcewalCatalog.class.getName())
            .config("spark.sql.catalog.icewal.data", folder.toString())
            .config("spark.sql.catalog.icewal.default-namespace", TestTables.SCHEMA)
            .config("spark.sql.catalog.stock", stockCatalog())
            .config("spark.sql.catalog.stock.data", folder.toString())
            .config("spark.sql.catalog.stock.cache-enabled", "false")
            .getOrCreate();
    spark.sql("CREATE NAMESPACE IF NOT EXISTS icewal." + TestTables.SCHEMA);
    spark.sql("USE icewal." + TestTables.SCHEMA);
  }

  /// Whether all of iceberg-spark is for the Spark that runs. In Spark 4.2 a view is a class, which
  /// its catalog cannot implement, and its procedures take an interface for a class.
  static boolean runsAllOfIceberg() {
    return View.class.isInterface();
  }

  private static String stockCatalog() {
    return runsAllOfIceberg() ? "io.icewal.spark.StockCatalog" : StockTables.class.getName();
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("icewal-spark");
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public TestTables tables() {
    return tables;
  }

  @Override
  public String values(List<String> rows, String alias, String... columns) {
    return "(SELECT * FROM VALUES (%s) AS %s(%s)) AS %s"
        .formatted(String.join("), (", rows), alias, String.join(", ", columns), alias);
  }

  @Override
  public String versionAsOf(String table, String version) {
    return table + " VERSION AS OF " + version;
  }

  @Override
  public List<String> rows(String sql) {
    return rows(spark.sql(sql));
  }

  static List<String> rows(Dataset<Row> data) {
    List<String> rows = new ArrayList<>();
    data.collectAsList().forEach(row -> rows.add(Text.of(row)));
    rows.sort(null);
    return rows;
  }

  /// Has SQL's function `when_read`, which gives back its string, do something for each row.
  void whenRowsAreRead(Runnable work) {
    WHEN_READ.set(work);
    spark
        .udf()
        .register(
            "when_read",
            (UDF1<String, String>)
                value -> {
                  WHEN_READ.get().run();
                  return value;
                },
            DataTypes.StringType);
  }

  @Override
  public void execute(String sql) {
    spark.sql(sql);
  }

  @Override
  public void close() {
    spark.stop();
    tables.close();
  }
}
