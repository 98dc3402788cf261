package io.icewal.trino;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.LocalFileIO;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The properties of trino-iceberg that follow from the shared configuration. Pure.
final class StockProperties {
  private static final String S3 = "s3://";

  private static final Map<String, String> DRIVERS =
      Map.of(
          "sqlite", "org.sqlite.JDBC",
          "postgresql", "org.postgresql.Driver",
          "mysql", "com.mysql.cj.jdbc.Driver");

  private final Map<String, String> catalog;
  private final Map<String, String> out = new TreeMap<>();

  private StockProperties(IcewalConfig config) {
    this.catalog = config.catalogProperties();
  }

  static Map<String, String> of(IcewalConfig config) {
    StockProperties properties = new StockProperties(config);
    properties.out.put("iceberg.format-version", "3");
    properties.catalog(config.catalogName());
    properties.files(config.logRoot());
    return properties.out;
  }

  private void catalog(String name) {
    String type = catalog.getOrDefault("type", "");
    switch (type) {
      case "jdbc" -> jdbc(name);
      case "rest" -> rest();
      case "glue" -> {
        out.put("iceberg.catalog.type", "glue");
        copy("client.region", "hive.metastore.glue.region");
      }
      case "hive" -> {
        out.put("iceberg.catalog.type", "hive_metastore");
        copy("uri", "hive.metastore.uri");
      }
      default ->
          throw new IcewalException(
              ErrorKind.INVALID,
              "'catalog.type' is '" + type + "'; Trino knows jdbc, rest, glue and hive");
    }
  }

  private void jdbc(String name) {
    out.put("iceberg.catalog.type", "jdbc");
    String uri = catalog.getOrDefault("uri", "");
    driver(uri);
    out.put("iceberg.jdbc-catalog.connection-url", withPragmas(uri));
    out.put("iceberg.jdbc-catalog.catalog-name", name);
    out.put("iceberg.jdbc-catalog.default-warehouse-dir", catalog.getOrDefault("warehouse", ""));
    copy("jdbc.user", "iceberg.jdbc-catalog.connection-user");
    copy("jdbc.password", "iceberg.jdbc-catalog.connection-password");
    copy("jdbc.schema-version", "iceberg.jdbc-catalog.schema-version");
  }

  /// Another database's driver class stands in the catalog file itself.
  private void driver(String uri) {
    for (Map.Entry<String, String> driver : DRIVERS.entrySet()) {
      if (uri.startsWith("jdbc:" + driver.getKey() + ":")) {
        out.put("iceberg.jdbc-catalog.driver-class", driver.getValue());
      }
    }
  }

  /// Trino hands no properties to the driver; SQLite's takes them from the URL. Without them a
  /// commit could be lost in a power cut, after the log was trimmed below it.
  private String withPragmas(String uri) {
    if (!uri.startsWith("jdbc:sqlite:")) {
      return uri;
    }
    return uri
        + (uri.contains("?") ? "&" : "?")
        + "journal_mode="
        + catalog.getOrDefault("jdbc.journal_mode", "WAL")
        + "&synchronous="
        + catalog.getOrDefault("jdbc.synchronous", "FULL")
        + "&busy_timeout="
        + catalog.getOrDefault("jdbc.busy_timeout", "30000");
  }

  private void rest() {
    out.put("iceberg.catalog.type", "rest");
    copy("uri", "iceberg.rest-catalog.uri");
    copy("warehouse", "iceberg.rest-catalog.warehouse");
    copy("prefix", "iceberg.rest-catalog.prefix");
    if (catalog.containsKey("token") || catalog.containsKey("credential")) {
      out.put("iceberg.rest-catalog.security", "OAUTH2");
      copy("token", "iceberg.rest-catalog.oauth2.token");
      copy("credential", "iceberg.rest-catalog.oauth2.credential");
      copy("scope", "iceberg.rest-catalog.oauth2.scope");
      copy("oauth2-server-uri", "iceberg.rest-catalog.oauth2.server-uri");
    }
  }

  private void files(String logRoot) {
    String warehouse = catalog.getOrDefault("warehouse", "");
    boolean local =
        LocalFileIO.isLocal(warehouse)
            || catalog.getOrDefault("io-impl", "").equals(LocalFileIO.class.getName());
    if (local) {
      out.put("fs.local.enabled", "true");
      out.put("local.location", "/");
    }
    if (warehouse.startsWith(S3) || (!local && logRoot.startsWith(S3))) {
      out.put("fs.s3.enabled", "true");
      copy("s3.endpoint", "s3.endpoint");
      copy("client.region", "s3.region");
      copy("s3.path-style-access", "s3.path-style-access");
      copy("s3.access-key-id", "s3.aws-access-key");
      copy("s3.secret-access-key", "s3.aws-secret-key");
    }
  }

  private void copy(String from, String to) {
    @Nullable String value = catalog.get(from);
    if (value != null) {
      out.put(to, value);
    }
  }
}
