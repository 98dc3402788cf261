package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.log.Level;
import io.airlift.log.Logging;
import io.icewal.RestCatalogServer;
import io.icewal.config.IcewalConfig;
import io.icewal.storage.s3.S3ProxyServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.Closeable;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Warehouses that are shared by a configuration file, as real ones are: another process, which
/// stands for an ingest server, and Trino work on the same tables of each.
@Tag("slow")
@ExtendWith(TrinoServer.Shared.class)
class SharedWarehouseTest {
  private static final String ALL = "SELECT id, name, price FROM ";

  private final TrinoServer trino;
  @TempDir private Path folder;

  SharedWarehouseTest(TrinoServer trino) {
    this.trino = trino;
  }

  @Test
  void tablesAndLogOnS3WithACatalogInSqlite() throws Exception {
    try (S3ProxyServer s3 = s3()) {
      Map<String, String> config = onS3(s3);
      config.put("catalog.type", "jdbc");
      config.put("catalog.uri", "jdbc:sqlite:" + folder.resolve("catalog.db"));
      config.put("catalog.jdbc.schema-version", "V1");

      check("on_s3", config, "s3://lake/warehouse/");
    }
  }

  @Test
  void tablesAndLogOnS3WithARestCatalog() throws Exception {
    try (S3ProxyServer s3 = s3()) {
      Map<String, String> config = onS3(s3);
      Map<String, String> behind = new HashMap<>(config);
      behind.put("catalog.type", "jdbc");
      behind.put("catalog.uri", "jdbc:sqlite:" + folder.resolve("catalog.db"));
      behind.put("catalog.jdbc.schema-version", "V1");
      Catalog catalog = IcewalConfig.of(behind, "test").openCatalog();
      // It logs each answer that something is not there, with a stack.
      Logging.initialize().setLevel(RESTCatalogServlet.class.getName(), Level.OFF);
      try (RestCatalogServer rest = new RestCatalogServer(catalog)) {
        config.put("catalog.type", "rest");
        config.put("catalog.uri", rest.uri());
        config.put("catalog.io-impl", "org.apache.iceberg.aws.s3.S3FileIO");

        check("by_rest", config, "s3://lake/warehouse/");
      } finally {
        ((Closeable) catalog).close();
      }
    }
  }

  @Test
  void foldersWithACatalogInPostgresql() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start()) {
      Map<String, String> config = new HashMap<>();
      config.put("catalog.type", "jdbc");
      config.put("catalog.uri", postgres.getJdbcUrl("postgres", "postgres").split("\\?")[0]);
      config.put("catalog.jdbc.user", "postgres");
      config.put("catalog.jdbc.password", "any");
      config.put("catalog.jdbc.schema-version", "V1");
      config.put("catalog.warehouse", "file://" + folder.resolve("warehouse"));
      config.put("log.root", folder.resolve("log").toString());

      check("in_postgresql", config, "file://" + folder.resolve("warehouse"));
    }
  }

  private S3ProxyServer s3() throws Exception {
    return S3ProxyServer.start(folder.resolve("s3")).withBucket("lake");
  }

  private static Map<String, String> onS3(S3ProxyServer s3) {
    Map<String, String> config = new HashMap<>();
    s3.icebergProperties().forEach((key, value) -> config.put("catalog." + key, value));
    config.put("catalog.warehouse", "s3://lake/warehouse");
    config.put("log.root", "s3://lake/log");
    return config;
  }

  /// @param files how the locations of all files begin
  private void check(String catalog, Map<String, String> config, String files) throws Exception {
    Path file = folder.resolve("icewal.properties");
    StringBuilder text = new StringBuilder();
    new TreeMap<>(config).forEach((key, value) -> text.append(key + "=" + value + "\n"));
    Files.writeString(file, text);
    trino.runner.createCatalog(catalog, "icewal", Map.of("icewal.config", file.toString()));
    try (TestTables other = new TestTables(IcewalConfig.load(file))) {
      trino.execute("CREATE SCHEMA " + catalog + ".s");
      rowsAreSeenAndChangedWhereverTheyLie(catalog + ".s.items", other);
      filesBeginWith(catalog, files);
      aQueryReplacesWhatOthersMaterializeMeanwhile(catalog + ".s.items", other);
      statementsOfOtherKindsWork(catalog);
    } finally {
      trino.execute("DROP CATALOG " + catalog);
    }
  }

  private void rowsAreSeenAndChangedWhereverTheyLie(String table, TestTables other) {
    trino.execute(
        "CREATE TABLE "
            + table
            + " (id bigint, name varchar, price decimal(12,2)) WITH (primary_key = ARRAY['id'])");
    other.upsert("items", row(other, 1, "lamp", "1.00"), row(other, 2, "chair", "2.00"));
    assertThat(trino.rows(ALL + table)).containsExactly("1|lamp|1.00", "2|chair|2.00");

    trino.execute("INSERT INTO " + table + " VALUES (3, 'desk', 3), (4, 'bed', 4)");
    trino.execute(
        "MERGE INTO "
            + table
            + " t USING (VALUES (2, 'sofa'), (4, NULL), (5, 'door')) u (id, name) ON t.id = u.id"
            + " WHEN MATCHED AND u.name IS NULL THEN DELETE"
            + " WHEN MATCHED THEN UPDATE SET name = u.name"
            + " WHEN NOT MATCHED THEN INSERT VALUES (u.id, u.name, 5)");
    List<String> merged = List.of("1|lamp|1.00", "2|sofa|2.00", "3|desk|3.00", "5|door|5.00");
    assertThat(trino.rows(ALL + table)).isEqualTo(merged);

    other.materialize("items");
    assertThat(trino.rows(ALL + table)).isEqualTo(merged);
    other.upsert("items", row(other, 1, "lamp", "9.99"));
    other.delete("items", row(other, 3, null, null));
    trino.execute("UPDATE " + table + " SET price = price + 1 WHERE id < 3");
    assertThat(trino.rows(ALL + table))
        .containsExactly("1|lamp|10.99", "2|sofa|3.00", "5|door|5.00");
    trino.execute(
        "CALL " + table.substring(0, table.indexOf('.')) + ".system.materialize('s', 'items')");
    assertThat(trino.rows("SELECT rows FROM " + table.replace("items", "\"items$tail\"")))
        .containsExactly("0");
    assertThat(trino.rows(ALL + table))
        .containsExactly("1|lamp|10.99", "2|sofa|3.00", "5|door|5.00");
  }

  /// By the same rows.
  private void aQueryReplacesWhatOthersMaterializeMeanwhile(String table, TestTables other) {
    List<String> rows = trino.rows(ALL + table);
    trino.beforeNextStagedBlock(
        () -> {
          other.upsert("items", row(other, 1, "bench", "1.00"));
          other.materialize("items");
          other.trim();
        });

    trino.execute(
        "CREATE OR REPLACE TABLE "
            + table
            + " WITH (primary_key = ARRAY['id']) AS SELECT * FROM "
            + table);
    assertThat(trino.rows(ALL + table)).isEqualTo(rows);
    other.upsert("items", row(other, 9, "gone", null));
    other.delete("items", row(other, 9, null, null));
    other.materialize("items");
    assertThat(trino.rows(ALL + table)).isEqualTo(rows);
  }

  private static Record row(TestTables tables, long id, String name, String price) {
    return tables.row("items", id, name, price == null ? null : new BigDecimal(price));
  }

  private void filesBeginWith(String catalog, String start) {
    assertThat(trino.rows("SELECT file_path FROM " + catalog + ".s.\"items$files\""))
        .isNotEmpty()
        .allMatch(path -> path.startsWith(start));
  }

  private void statementsOfOtherKindsWork(String catalog) {
    String schema = catalog + ".s.";
    trino.execute("ALTER TABLE " + schema + "items ADD COLUMN note varchar");
    trino.execute("INSERT INTO " + schema + "items VALUES (6, 'rug', 6, 'new')");
    trino.execute(
        "CREATE TABLE "
            + schema
            + "copy WITH (primary_key = ARRAY['id']) AS SELECT * FROM "
            + schema
            + "items");
    trino.execute("DELETE FROM " + schema + "copy WHERE id = 1");
    trino.execute("ALTER TABLE " + schema + "items EXECUTE optimize");
    assertThat(trino.rows("SELECT id, note FROM " + schema + "items"))
        .containsExactly("1|null", "2|null", "5|null", "6|new");
    assertThat(trino.rows("SELECT id, note FROM " + schema + "copy"))
        .containsExactly("2|null", "5|null", "6|new");
    trino.execute("DROP TABLE " + schema + "items");
    assertThat(trino.rows("SHOW TABLES FROM " + catalog + ".s")).containsExactly("copy");
  }
}
