package io.icewal.trino;

import static io.trino.testing.TestingSession.testSessionBuilder;

import io.airlift.log.Level;
import io.airlift.log.Logging;
import io.icewal.sql.SqlEngine;
import io.icewal.storage.CountingObjectStore;
import io.trino.Session;
import io.trino.plugin.iceberg.IcebergPlugin;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import io.trino.testing.TransactionBuilder;
import io.trino.tpch.TpchTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A Trino server with two catalogs on one embedded warehouse: `icewal`, and `stock`, which is
/// trino-iceberg as it is. All test classes share one: they ask for it as a parameter.
final class TrinoServer implements SqlEngine, AutoCloseable {
  /// Starts the server with the first class that asks; JUnit closes it after the last one.
  static final class Shared implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == TrinoServer.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getRoot()
          .getStore(ExtensionContext.Namespace.create(TrinoServer.class))
          .computeIfAbsent("server", key -> new TrinoServer(1), TrinoServer.class);
    }
  }

  final Path folder;
  final TestTables tables;
  final DistributedQueryRunner runner;

  final StoreHooks hooks = new StoreHooks();

  /// Of the log, as the connector uses it.
  CountingObjectStore logStore;

  TrinoServer(int workers) {
    this(workers, "s", builder -> {});
  }

  /// @param schema where tables are looked for that are named without one
  /// @param change adds to how the server is made
  TrinoServer(int workers, String schema, Consumer<DistributedQueryRunner.Builder<?>> change) {
    this(newFolder(), workers, schema, change);
  }

  private TrinoServer(
      Path folder, int workers, String schema, Consumer<DistributedQueryRunner.Builder<?>> change) {
    Logging.initialize().setLevel("org.apache.iceberg", Level.WARN);
    this.folder = folder;
    try {
      tables = new TestTables(folder);
      Session session = testSessionBuilder().setCatalog("icewal").setSchema(schema).build();
      DistributedQueryRunner.Builder<?> builder =
          DistributedQueryRunner.builder(session)
              .setWorkerCount(workers)
              .addExtraProperty("query.max-memory-per-node", "200MB")
              .addExtraProperty("memory.heap-headroom-per-node", "200MB");
      change.accept(builder);
      runner = builder.build();
      runner.installPlugin(new IcebergPlugin());
      runner.installPlugin(new CountingPlugin());
      runner.createCatalog("icewal", "icewal", Map.of("icewal.data", folder.toString()));
      runner.createCatalog("stock", "iceberg", stock());
      runner.execute("CREATE SCHEMA IF NOT EXISTS icewal." + schema);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /// A server on the embedded warehouse in a folder, which may be there already.
  static TrinoServer in(Path folder, int workers) {
    return new TrinoServer(folder, workers, "s", builder -> {});
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("icewal-trino");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A server as Trino's own tests of connectors want it: three nodes, and tables of TPC-H, which
  /// are in the log.
  static TrinoServer ofTpch(Iterable<TpchTable<?>> tables) {
    TrinoServer server = new TrinoServer(2, "tpch", builder -> {});
    server.runner.installPlugin(new TpchPlugin());
    server.runner.createCatalog("tpch", "tpch", Map.of());
    for (TpchTable<?> table : tables) {
      String name = table.getTableName();
      // What a CREATE TABLE AS writes is in files at once.
      server.execute(
          "CREATE TABLE " + name + " AS SELECT * FROM tpch.tiny." + name + " WITH NO DATA");
      server.execute("INSERT INTO " + name + " SELECT * FROM tpch.tiny." + name);
    }
    return server;
  }

  /// One more catalog of each kind on the same warehouse, which have read nothing yet.
  void addCatalogs(String name) {
    runner.createCatalog(name, "icewal", Map.of("icewal.data", folder.toString()));
    runner.createCatalog(name + "_stock", "iceberg", stock());
  }

  private Map<String, String> stock() {
    return Map.of(
        "iceberg.catalog.type", "jdbc",
        "iceberg.jdbc-catalog.driver-class", "org.sqlite.JDBC",
        "iceberg.jdbc-catalog.connection-url",
            "jdbc:sqlite:" + folder + "/catalog.db?busy_timeout=30000",
        "iceberg.jdbc-catalog.catalog-name", "icewal",
        "iceberg.jdbc-catalog.default-warehouse-dir", "file://" + folder + "/warehouse",
        "fs.local.enabled", "true",
        "local.location", "/");
  }

  /// The plugin with its log's requests counted.
  private final class CountingPlugin implements Plugin {
    @Override
    public Iterable<ConnectorFactory> getConnectorFactories() {
      return List.of(
          new IcewalConnectorFactory(
              store -> {
                CountingObjectStore counting =
                    new CountingObjectStore(new HookedObjectStore(store, hooks));
                if (logStore == null) {
                  logStore = counting;
                }
                return counting;
              }));
    }
  }

  @Override
  public io.icewal.TestTables tables() {
    return tables;
  }

  @Override
  public String values(List<String> rows, String alias, String... columns) {
    return "(VALUES (%s)) %s(%s)"
        .formatted(String.join("), (", rows), alias, String.join(", ", columns));
  }

  @Override
  public String versionAsOf(String table, String version) {
    return table + " FOR VERSION AS OF " + version;
  }

  @Override
  public List<String> rows(String sql) {
    return rows(runner.getDefaultSession(), sql);
  }

  List<String> rows(Session session, String sql) {
    List<String> rows = new ArrayList<>();
    for (MaterializedRow row : runner.execute(session, sql).getMaterializedRows()) {
      List<String> values = new ArrayList<>();
      row.getFields().forEach(value -> values.add(Text.of(value)));
      rows.add(String.join("|", values));
    }
    rows.sort(null);
    return rows;
  }

  /// A session with a property of catalog icewal set.
  Session with(String property, String value) {
    return Session.builder(runner.getDefaultSession())
        .setCatalogSessionProperty("icewal", property, value)
        .build();
  }

  /// Several statements in one transaction.
  void inTransaction(Consumer<Session> statements) {
    TransactionBuilder.transaction(
            runner.getTransactionManager(),
            runner.getPlannerContext().getMetadata(),
            runner.getAccessControl())
        .execute(runner.getDefaultSession(), statements);
  }

  /// Done once, when a task is about to stage rows: after its statement has read.
  void beforeNextStagedBlock(Runnable work) {
    hooks.beforeNext(work);
  }

  @Override
  public void execute(String sql) {
    runner.execute(sql);
  }

  @Override
  public void close() {
    runner.close();
    tables.close();
  }
}
