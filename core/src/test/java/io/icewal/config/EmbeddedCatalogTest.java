package io.icewal.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.LocalFileIO;
import io.icewal.storage.ObjectStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EmbeddedCatalogTest {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final TableIdentifier NAME = TableIdentifier.of("db", "t");

  @TempDir Path folder;

  @Test
  void everythingLiesInOneFolder() throws IOException {
    Path data = folder.resolve("with space/data");
    IcewalConfig config = IcewalConfig.embedded(data);

    Catalog catalog = config.openCatalog();
    Table table = createTable(catalog);
    try (ObjectStore log = config.openLogStore()) {
      log.put("log.json", new byte[] {1});
    }

    assertThat(table.io()).isInstanceOf(LocalFileIO.class);
    assertThat(table.location()).isEqualTo("file://" + data + "/warehouse/db/t");
    assertThat(data.resolve("catalog.db")).isRegularFile();
    assertThat(data.resolve("log/log.json")).isRegularFile();
    try (var files = Files.list(data)) {
      assertThat(files.filter(Files::isDirectory).map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("log", "warehouse");
    }
    close(catalog);
  }

  @Test
  void commitsSurviveAPowerCutAndWritersWait() throws Exception {
    IcewalConfig config = IcewalConfig.embedded(folder);
    Catalog catalog = config.openCatalog();
    createTable(catalog);

    try (Connection connection =
        DriverManager.getConnection("jdbc:sqlite:" + folder + "/catalog.db")) {
      assertThat(query(connection, "pragma journal_mode")).isEqualTo("wal");
      assertThat(query(connection, "select iceberg_type from iceberg_tables")).isEqualTo("TABLE");
      assertThat(query(connection, "select catalog_name from iceberg_tables")).isEqualTo("icewal");
      connection.setAutoCommit(false);
      connection.createStatement().executeUpdate("delete from iceberg_tables where 1 = 0");
      ExecutorService other = Executors.newSingleThreadExecutor();
      Future<Table> waiting =
          other.submit(() -> catalog.createTable(TableIdentifier.of("db", "u"), SCHEMA));
      assertThatThrownBy(() -> waiting.get(3_500, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      connection.commit();
      assertThat(waiting.get(20, TimeUnit.SECONDS).name()).endsWith("db.u");
      other.shutdown();
    }
    assertThat(config.catalogProperties()).containsEntry("jdbc.synchronous", "FULL");
    close(catalog);
  }

  @Test
  void pyIcebergOpensTheSameCatalogByTheSameName() throws Exception {
    Catalog catalog = IcewalConfig.embedded(folder).openCatalog();
    Table table = createTable(catalog);
    String python = System.getenv("ICEWAL_PYTHON");
    assertThat(python).as("ICEWAL_PYTHON, see docs/testing.md").isNotNull();
    String script =
        """
        import sys
        from pyiceberg.catalog.sql import SqlCatalog
        c = SqlCatalog(sys.argv[1], uri=f"sqlite:///{sys.argv[2]}/catalog.db",
                       warehouse=f"file://{sys.argv[2]}/warehouse")
        print(c.list_tables("db"), c.load_table("db.t").metadata_location)
        """;

    Process process =
        new ProcessBuilder(python, "-c", script, IcewalConfig.CATALOG_NAME, folder.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);

    String location = ((HasTableOperations) table).operations().current().metadataFileLocation();
    assertThat(output.strip()).endsWith("[('db', 't')] " + location);
    assertThat(process.waitFor()).isZero();
    close(catalog);
  }

  /// Case B170.
  @Test
  void b170_manyMayOpenANewFolderAtOnce() throws Exception {
    ExecutorService openers = Executors.newFixedThreadPool(4);
    List<Callable<Catalog>> tasks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tasks.add(() -> IcewalConfig.embedded(folder).openCatalog());
    }

    for (Future<Catalog> opened : openers.invokeAll(tasks)) {
      close(opened.get());
    }

    openers.shutdown();
  }

  @Test
  void foldersThatSqliteWouldMisreadAreRefused() {
    assertThatThrownBy(() -> IcewalConfig.embedded(folder.resolve("what?")))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("what?");
  }

  @Test
  void catalogThatCannotBeOpenedIsNamed() throws IOException {
    Files.writeString(folder.resolve("catalog.db"), "this is not a database, and never was one");

    assertThatThrownBy(() -> IcewalConfig.embedded(folder).openCatalog())
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("cannot open the catalog 'icewal'")
        .hasMessageContaining("catalog.db");
  }

  @ParameterizedTest
  @CsvSource({"catalog.type, jbdc", "catalog.catalog-impl, no.such.Catalog"})
  void aCatalogThatIcebergDoesNotKnowIsAMistake(String key, String value) {
    Map<String, String> values = Map.of(key, value, "log.root", folder.resolve("log").toString());

    assertThatThrownBy(() -> IcewalConfig.of(values, "test").openCatalog())
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining(value)
        .extracting(e -> ((IcewalException) e).kind())
        .isEqualTo(ErrorKind.INVALID);
  }

  @Test
  void aMissingDriverIsGivenAsTheReason() {
    Map<String, String> values =
        Map.of(
            "catalog.type",
            "jdbc",
            "catalog.uri",
            "jdbc:nothing://db.example/iceberg",
            "catalog.warehouse",
            folder.resolve("warehouse").toString(),
            "log.root",
            folder.resolve("log").toString());

    assertThatThrownBy(() -> IcewalConfig.of(values, "test").openCatalog())
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("No suitable driver");
  }

  @Test
  void fileIoFollowsTheWarehouseUnlessGiven() {
    assertThat(Catalogs.withDefaults(Map.of("warehouse", "s3://bucket/wh")))
        .containsEntry("io-impl", "org.apache.iceberg.aws.s3.S3FileIO");
    assertThat(Catalogs.withDefaults(Map.of("warehouse", "/wh", "uri", "jdbc:sqlite:/x")))
        .containsEntry("io-impl", LocalFileIO.class.getName())
        .containsEntry("jdbc.busy_timeout", "30000");
    assertThat(Catalogs.withDefaults(Map.of("warehouse", "/wh", "io-impl", "x")))
        .containsEntry("io-impl", "x");
    assertThat(Catalogs.withDefaults(Map.of("warehouse", "name"))).doesNotContainKey("io-impl");
  }

  private static Table createTable(Catalog catalog) {
    ((SupportsNamespaces) catalog).createNamespace(Namespace.of("db"));
    return catalog.createTable(NAME, SCHEMA);
  }

  private static String query(Connection connection, String sql) throws SQLException {
    try (ResultSet result = connection.createStatement().executeQuery(sql)) {
      assertThat(result.next()).isTrue();
      return result.getString(1);
    }
  }

  private static void close(Catalog catalog) throws IOException {
    ((Closeable) catalog).close();
  }
}
