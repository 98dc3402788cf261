package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.config.IcewalConfig;
import io.icewal.model.IcewalException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StockPropertiesTest {
  private static Map<String, String> of(String logRoot, String... keysAndValues) {
    Map<String, String> shared = new HashMap<>(Map.of("log.root", logRoot));
    for (int i = 0; i < keysAndValues.length; i += 2) {
      shared.put("catalog." + keysAndValues[i], keysAndValues[i + 1]);
    }
    return StockProperties.of(IcewalConfig.of(shared, "test"));
  }

  @Test
  void sqliteTakesItsPragmasFromAUrlThatMayHaveOptionsAlready() {
    String plain = "jdbc:sqlite:/data/catalog.db";
    assertThat(of("/data/log", "type", "jdbc", "uri", plain, "warehouse", "/data/warehouse"))
        .containsEntry("iceberg.jdbc-catalog.driver-class", "org.sqlite.JDBC")
        .containsEntry(
            "iceberg.jdbc-catalog.connection-url",
            plain + "?journal_mode=WAL&synchronous=FULL&busy_timeout=30000")
        .containsEntry("fs.local.enabled", "true")
        .doesNotContainKey("fs.s3.enabled");
    assertThat(of("/data/log", "type", "jdbc", "uri", plain + "?cache=shared"))
        .containsEntry(
            "iceberg.jdbc-catalog.connection-url",
            plain + "?cache=shared&journal_mode=WAL&synchronous=FULL&busy_timeout=30000");
  }

  @Test
  void postgresqlGetsItsDriverUserAndName() {
    assertThat(
            of(
                "/data/log",
                "type",
                "jdbc",
                "uri",
                "jdbc:postgresql://db/iceberg",
                "jdbc.user",
                "iceberg",
                "jdbc.password",
                "secret",
                "jdbc.schema-version",
                "V1",
                "warehouse",
                "/data/warehouse"))
        .containsEntry("iceberg.jdbc-catalog.driver-class", "org.postgresql.Driver")
        .containsEntry("iceberg.jdbc-catalog.connection-url", "jdbc:postgresql://db/iceberg")
        .containsEntry("iceberg.jdbc-catalog.connection-user", "iceberg")
        .containsEntry("iceberg.jdbc-catalog.connection-password", "secret")
        .containsEntry("iceberg.jdbc-catalog.schema-version", "V1");
  }

  @Test
  void anotherDatabaseGetsNoDriverThatIsNotItsOwn() {
    assertThat(of("/data/log", "type", "jdbc", "uri", "jdbc:oracle:thin:@db"))
        .containsEntry("iceberg.jdbc-catalog.connection-url", "jdbc:oracle:thin:@db")
        .doesNotContainKey("iceberg.jdbc-catalog.driver-class");
  }

  @Test
  void aRestCatalogAndS3GoOver() {
    assertThat(
            of(
                "s3://lake/log",
                "type",
                "rest",
                "uri",
                "http://catalog:8181",
                "warehouse",
                "s3://lake/warehouse",
                "client.region",
                "eu-central-1",
                "s3.endpoint",
                "http://store:9000",
                "token",
                "t"))
        .containsEntry("iceberg.catalog.type", "rest")
        .containsEntry("iceberg.rest-catalog.uri", "http://catalog:8181")
        .containsEntry("iceberg.rest-catalog.warehouse", "s3://lake/warehouse")
        .containsEntry("iceberg.rest-catalog.security", "OAUTH2")
        .containsEntry("iceberg.rest-catalog.oauth2.token", "t")
        .containsEntry("fs.s3.enabled", "true")
        .containsEntry("s3.endpoint", "http://store:9000")
        .containsEntry("s3.region", "eu-central-1")
        .doesNotContainKey("fs.local.enabled");
  }

  @Test
  void aCatalogThatTrinoDoesNotKnowIsRefusedByName() {
    assertThatThrownBy(() -> of("/data/log", "type", "nessie", "uri", "http://n"))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("nessie")
        .hasMessageContaining("jdbc, rest, glue and hive");
  }
}
