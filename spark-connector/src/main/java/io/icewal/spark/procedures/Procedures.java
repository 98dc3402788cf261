package io.icewal.spark.procedures;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.services.Warehouse;
import io.icewal.table.IcewalTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.spark.procedures.SparkProcedures;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import scala.jdk.javaapi.CollectionConverters;

/// The procedures of a catalog, by name. Thread-safe.
public final class Procedures {
  /// They make a table in a catalog of iceberg-spark's own kind, or none.
  private static final Set<String> OF_OTHER_CATALOGS = Set.of("migrate", "snapshot");

  private final TableCatalog catalog;
  private final Map<String, UnboundProcedure> own = new TreeMap<>();
  private final Map<String, Consumer<Arguments>> guards;

  /// @param catalog as Spark knows it
  /// @param tables the Iceberg catalog below it
  public Procedures(TableCatalog catalog, Catalog tables, Warehouse warehouse) {
    this.catalog = catalog;
    IcewalTables icewal = new IcewalTables(tables);
    new LogProcedures(icewal, warehouse, this::table)
        .all()
        .forEach(procedure -> own.put(procedure.name(), procedure));
    this.guards = new TableGuards(icewal, warehouse.config(), this::table).all();
  }

  /// @throws IcewalException INVALID if there is none of that name
  public UnboundProcedure load(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    UnboundProcedure procedure = own.get(lower);
    if (procedure != null) {
      return procedure;
    }
    SparkProcedures.ProcedureBuilder builder =
        OF_OTHER_CATALOGS.contains(lower) ? null : SparkProcedures.newBuilder(lower);
    if (builder == null) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "catalog " + catalog.name() + " has no procedure " + name + "; it has " + names());
    }
    UnboundProcedure stock = builder.withTableCatalog(catalog).build();
    Consumer<Arguments> guard = guards.get(lower);
    return guard == null ? stock : new GuardedProcedure(stock, guard);
  }

  public List<String> names() {
    List<String> names = new ArrayList<>(own.keySet());
    names.addAll(SparkProcedures.names());
    names.removeAll(OF_OTHER_CATALOGS);
    names.sort(null);
    return names;
  }

  /// The table that a call names. Spark's own way to find its catalog differs between versions.
  private TableIdentifier table(String text) {
    SparkSession spark = SparkSession.active();
    List<String> parts = parts(text);
    if (parts.size() == 1) {
      return TableIdentifier.of(Namespace.of(currentNamespace(spark)), parts.get(0));
    }
    String first = parts.get(0);
    boolean isOwn = first.equals(catalog.name());
    if (!isOwn && spark.conf().getOption("spark.sql.catalog." + first).isDefined()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "table " + text + " is in catalog " + first + ", the procedure in " + catalog.name());
    }
    List<String> name = isOwn ? parts.subList(1, parts.size()) : parts;
    return TableIdentifier.of(name.toArray(String[]::new));
  }

  private static List<String> parts(String text) {
    return CollectionConverters.asJava(CatalystSqlParser$.MODULE$.parseMultipartIdentifier(text));
  }

  private String[] currentNamespace(SparkSession spark) {
    return spark.catalog().currentCatalog().equals(catalog.name())
        ? parts(spark.catalog().currentDatabase()).toArray(String[]::new)
        : catalog.defaultNamespace();
  }
}
