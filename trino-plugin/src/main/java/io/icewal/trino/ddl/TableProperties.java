package io.icewal.trino.ddl;

import io.icewal.config.IcewalConfig;
import io.trino.plugin.iceberg.IcebergTableProperties;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.VarcharType;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// icewal's own table properties.
public final class TableProperties {
  /// Names of the columns of the primary key.
  public static final String PRIMARY_KEY = "primary_key";

  private TableProperties() {}

  public static List<PropertyMetadata<?>> all() {
    return List.of(
        new PropertyMetadata<>(
            PRIMARY_KEY,
            "Columns of the primary key: one row of each key is live; without one every row is kept",
            new ArrayType(VarcharType.VARCHAR),
            List.class,
            List.of(),
            false,
            TableProperties::columns,
            value -> value));
  }

  private static List<String> columns(Object value) {
    return ((Collection<?>) value)
        .stream().map(name -> ((String) name).toLowerCase(Locale.ENGLISH)).toList();
  }

  @SuppressWarnings("unchecked")
  public static List<String> primaryKey(Map<String, Object> properties) {
    return (List<String>) properties.getOrDefault(PRIMARY_KEY, List.of());
  }

  /// Refuses folders within the log, or around it.
  ///
  /// @param properties of a table
  /// @throws io.icewal.model.IcewalException INVALID if so
  public static void requireApartFromLog(Map<String, Object> properties, IcewalConfig config) {
    IcebergTableProperties.getTableLocation(properties).ifPresent(config::requireApartFromLog);
    IcebergTableProperties.getDataLocation(properties).ifPresent(config::requireApartFromLog);
  }

  /// Whether a table that is to be made becomes one of icewal's.
  public static boolean isOwn(ConnectorTableMetadata table) {
    return IcebergTableProperties.getFormatVersion(table.getProperties()) >= 3;
  }
}
