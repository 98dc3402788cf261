package io.icewal.spark;

import io.icewal.config.IcewalConfig;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.spark.TimeTravel;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// iceberg-spark's tables as they are, as far as tests ask for them, where iceberg-spark's own
/// catalog ([StockCatalog]) is not for the Spark that runs.
public final class StockTables implements TableCatalog {
  private static final String BRANCH = "branch_";

  private String name;
  private Catalog catalog;

  @Override
  public void initialize(String newName, CaseInsensitiveStringMap options) {
    name = newName;
    catalog = IcewalConfig.embedded(Path.of(options.get("data"))).openCatalog();
  }

  @Override
  public String name() {
    return name;
  }

  private static TableIdentifier iceberg(Identifier table) {
    return TableIdentifier.of(Namespace.of(table.namespace()), table.name());
  }

  @Override
  public Table loadTable(Identifier table) throws NoSuchTableException {
    try {
      if (table.name().startsWith(BRANCH)) {
        String[] levels = table.namespace();
        int last = levels.length - 1;
        Identifier base = Identifier.of(Arrays.copyOf(levels, last), levels[last]);
        return SparkTable.create(
            catalog.loadTable(iceberg(base)), table.name().substring(BRANCH.length()));
      }
      return new SparkTable(catalog.loadTable(iceberg(table)));
    } catch (org.apache.iceberg.exceptions.NoSuchTableException e) {
      throw new NoSuchTableException(table);
    }
  }

  @Override
  public Table loadTable(Identifier table, String version) {
    return SparkTable.create(catalog.loadTable(iceberg(table)), TimeTravel.version(version));
  }

  @Override
  public Identifier[] listTables(String[] namespace) {
    return catalog.listTables(Namespace.of(namespace)).stream()
        .map(table -> Identifier.of(namespace, table.name()))
        .toArray(Identifier[]::new);
  }

  @Override
  @SuppressWarnings("deprecation") // Spark's other forms of it all end in this one.
  public Table createTable(
      Identifier table, StructType columns, Transform[] partitions, Map<String, String> given) {
    Map<String, String> properties = new HashMap<>(given);
    properties.remove(PROP_PROVIDER);
    properties.remove(PROP_OWNER);
    org.apache.iceberg.Schema schema = SparkSchemaUtil.convert(columns);
    return new SparkTable(
        catalog
            .buildTable(iceberg(table), schema)
            .withPartitionSpec(Spark3Util.toPartitionSpec(schema, partitions))
            .withProperties(properties)
            .create());
  }

  @Override
  public Table alterTable(Identifier table, TableChange... changes) throws NoSuchTableException {
    Spark3Util.applyPropertyChanges(
            catalog.loadTable(iceberg(table)).updateProperties(), List.of(changes))
        .commit();
    return loadTable(table);
  }

  @Override
  public boolean dropTable(Identifier table) {
    return catalog.dropTable(iceberg(table), /* purge= */ false);
  }

  @Override
  public void renameTable(Identifier from, Identifier to) {
    throw new UnsupportedOperationException("no test asks for it");
  }
}
