package io.icewal.spark;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.read.FreshTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.spark.SparkReadOptions;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.connector.catalog.CatalogV2Util;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsCatalogOptions;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.jdk.javaapi.CollectionConverters;

/// `format("icewal")`: tables by the name that is given as path, `namespace.table` or
/// `catalog.namespace.table`. They come from the catalog of that name, else from the session's
/// default catalog if it is icewal's, else from the one named `icewal`.
public final class IcewalSource implements SupportsCatalogOptions, DataSourceRegister {
  private static final String NAME = "icewal";
  private static final String CATALOGS = "spark.sql.catalog.";
  private static final String DEFAULT_CATALOG = "spark.sql.defaultCatalog";

  @Override
  public String shortName() {
    return NAME;
  }

  @Override
  public String extractCatalog(CaseInsensitiveStringMap options) {
    List<String> parts = parts(options);
    if (parts.size() > 1 && isCatalog(parts.get(0))) {
      return parts.get(0);
    }
    String standard = SparkSession.active().conf().get(DEFAULT_CATALOG, NAME);
    return isCatalog(standard) ? standard : NAME;
  }

  @Override
  public Identifier extractIdentifier(CaseInsensitiveStringMap options) {
    List<String> parts = parts(options);
    int first = parts.size() > 1 && isCatalog(parts.get(0)) ? 1 : 0;
    return Identifier.of(
        parts.subList(first, parts.size() - 1).toArray(new String[0]), parts.get(parts.size() - 1));
  }

  @Override
  public Optional<String> extractTimeTravelVersion(CaseInsensitiveStringMap options) {
    return Optional.ofNullable(options.get(SparkReadOptions.VERSION_AS_OF));
  }

  @Override
  public Optional<String> extractTimeTravelTimestamp(CaseInsensitiveStringMap options) {
    return Optional.ofNullable(options.get(SparkReadOptions.TIMESTAMP_AS_OF));
  }

  private static boolean isCatalog(String name) {
    return IcewalCatalog.class
        .getName()
        .equals(SparkSession.active().conf().get(CATALOGS + name, ""));
  }

  private static List<String> parts(CaseInsensitiveStringMap options) {
    String path = options.get("path");
    if (path == null) {
      throw new IllegalArgumentException(
          "format(\"icewal\") needs the name of a table: load(\"namespace.table\")");
    }
    try {
      return List.copyOf(
          CollectionConverters.asJava(
              SparkSession.active().sessionState().sqlParser().parseMultipartIdentifier(path)));
    } catch (ParseException e) {
      throw new IllegalArgumentException("'" + path + "' is no name of a table", e);
    }
  }

  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return load(options).schema();
  }

  /// Asked by streams that are read or written without the name of a catalog's table.
  ///
  /// @param schema of the rows to be written, or of [#inferSchema]
  @Override
  public Table getTable(StructType schema, Transform[] partitions, Map<String, String> properties) {
    return load(new CaseInsensitiveStringMap(properties));
  }

  private Table load(CaseInsensitiveStringMap options) {
    Identifier name = extractIdentifier(options);
    TableCatalog catalog =
        CatalogV2Util.getTableProviderCatalog(
            this, SparkSession.active().sessionState().catalogManager(), options);
    try {
      return streamed(catalog.loadTable(name), options);
    } catch (NoSuchTableException e) {
      throw new IcewalException(
          ErrorKind.INVALID, "there is no table " + name + " in catalog " + catalog.name(), e);
    }
  }

  private Table streamed(Table table, CaseInsensitiveStringMap options) {
    if (extractTimeTravelVersion(options).isPresent()
        || extractTimeTravelTimestamp(options).isPresent()) {
      throw new IcewalException(
          ErrorKind.INVALID, "a stream of " + table.name() + " has no time travel");
    }
    if (table instanceof FreshTable fresh) {
      return fresh.streamed(options);
    }
    if (options.getBoolean(FreshTable.READ_CHANGES, false)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          table.name() + " has no log, so no " + FreshTable.READ_CHANGES + ": it is not icewal's");
    }
    return table;
  }
}
