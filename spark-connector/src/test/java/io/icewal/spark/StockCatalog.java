package io.icewal.spark;

import io.icewal.config.IcewalConfig;
import java.nio.file.Path;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// iceberg-spark as it is, on an embedded warehouse: named otherwise in Spark than in SQLite.
public final class StockCatalog extends SparkCatalog {
  @Override
  protected Catalog buildIcebergCatalog(String name, CaseInsensitiveStringMap options) {
    return IcewalConfig.embedded(Path.of(options.get("data"))).openCatalog();
  }
}
