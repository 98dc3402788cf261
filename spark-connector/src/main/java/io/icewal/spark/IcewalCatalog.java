package io.icewal.spark;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.ddl.BegunTable;
import io.icewal.spark.ddl.Namespaces;
import io.icewal.spark.ddl.StagedTableCreation;
import io.icewal.spark.ddl.TableAlteration;
import io.icewal.spark.ddl.TableDefinition;
import io.icewal.spark.procedures.Procedures;
import io.icewal.spark.read.TableLoader;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.spark.SparkFunctionCatalog;
import org.apache.iceberg.spark.TimeTravel;
import org.apache.iceberg.spark.source.HasIcebergCatalog;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.ProcedureCatalog;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.StagingTableCatalog;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/// A warehouse as a catalog of Spark. Thread-safe once initialized.
///
/// It stands on the Iceberg catalog itself, not on iceberg-spark's SparkCatalog, whose views keep
/// it from loading in other versions of Spark. There are no views.
public final class IcewalCatalog
    implements StagingTableCatalog,
        SupportsNamespaces,
        FunctionCatalog,
        ProcedureCatalog,
        HasIcebergCatalog {
  private static final String SYSTEM = "system";

  private record Opened(
      String name,
      Warehouse warehouse,
      Catalog catalog,
      Namespaces namespaces,
      TableLoader tables,
      Procedures procedures,
      String[] defaultNamespace) {}

  private @Nullable Opened opened;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    Map<String, String> given = options.asCaseSensitiveMap();
    Warehouse warehouse = Warehouse.of(WarehouseSettings.of(name, given));
    Catalog catalog = warehouse.config().openCatalog();
    if (!(catalog instanceof org.apache.iceberg.catalog.SupportsNamespaces namespaces)) {
      throw new IcewalException(
          ErrorKind.INVALID, "catalog " + name + " is on one without namespaces: " + catalog);
    }
    String start = options.getOrDefault(WarehouseSettings.DEFAULT_NAMESPACE, "");
    this.opened =
        new Opened(
            name,
            warehouse,
            catalog,
            new Namespaces(namespaces),
            new TableLoader(catalog, warehouse),
            new Procedures(this, catalog, warehouse),
            start.isEmpty() ? new String[0] : start.split("\\.", -1));
  }

  private Opened opened() {
    return Objects.requireNonNull(opened, "the catalog is not initialized");
  }

  @Override
  public String name() {
    return opened().name();
  }

  @Override
  public Catalog icebergCatalog() {
    return opened().catalog();
  }

  private static TableIdentifier iceberg(Identifier name) {
    return TableIdentifier.of(Namespace.of(name.namespace()), name.name());
  }

  // Tables.

  @Override
  public Table loadTable(Identifier name) throws NoSuchTableException {
    try {
      return opened().tables().load(iceberg(name));
    } catch (org.apache.iceberg.exceptions.NoSuchTableException e) {
      throw new NoSuchTableException(name);
    }
  }

  @Override
  public Table loadTable(Identifier name, String version) throws NoSuchTableException {
    return loadTable(name, TimeTravel.version(version));
  }

  @Override
  public Table loadTable(Identifier name, long timestampMicros) throws NoSuchTableException {
    return loadTable(name, TimeTravel.timestampMicros(timestampMicros));
  }

  private Table loadTable(Identifier name, TimeTravel version) throws NoSuchTableException {
    try {
      return opened().tables().load(iceberg(name), version);
    } catch (org.apache.iceberg.exceptions.NoSuchTableException e) {
      throw new NoSuchTableException(name);
    }
  }

  @Override
  public boolean tableExists(Identifier name) {
    return opened().catalog().tableExists(iceberg(name));
  }

  @Override
  public void invalidateTable(Identifier name) {
    opened().catalog().invalidateTable(iceberg(name));
  }

  @Override
  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    try {
      return opened().catalog().listTables(Namespace.of(namespace)).stream()
          .map(name -> Identifier.of(name.namespace().levels(), name.name()))
          .toArray(Identifier[]::new);
    } catch (org.apache.iceberg.exceptions.NoSuchNamespaceException e) {
      throw new NoSuchNamespaceException(namespace);
    }
  }

  @Override
  @SuppressWarnings("deprecation") // Spark's other forms of it all end in this one.
  public Table createTable(
      Identifier name, StructType columns, Transform[] partitions, Map<String, String> properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    TableDefinition table = new TableDefinition(iceberg(name), columns, partitions, properties);
    try {
      begin(name, table, TableDefinition.Mode.CREATE).commit(List.of());
      return opened().tables().load(iceberg(name));
    } catch (AlreadyExistsException e) {
      throw new TableAlreadyExistsException(name);
    }
  }

  private BegunTable begin(Identifier name, TableDefinition table, TableDefinition.Mode mode)
      throws NoSuchNamespaceException {
    if (!opened().namespaces().exists(name.namespace())) {
      throw new NoSuchNamespaceException(name.namespace());
    }
    return table.begin(opened().catalog(), mode, opened().warehouse());
  }

  private StagedTable stage(Identifier name, TableDefinition table, TableDefinition.Mode mode)
      throws NoSuchNamespaceException {
    return new StagedTableCreation(begin(name, table, mode), opened().warehouse());
  }

  @Override
  @SuppressWarnings("deprecation")
  public StagedTable stageCreate(
      Identifier name, StructType columns, Transform[] partitions, Map<String, String> properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    try {
      return stage(
          name,
          new TableDefinition(iceberg(name), columns, partitions, properties),
          TableDefinition.Mode.CREATE);
    } catch (AlreadyExistsException e) {
      throw new TableAlreadyExistsException(name);
    }
  }

  @Override
  @SuppressWarnings("deprecation")
  public StagedTable stageReplace(
      Identifier name, StructType columns, Transform[] partitions, Map<String, String> properties)
      throws NoSuchNamespaceException, NoSuchTableException {
    try {
      return stage(
          name,
          new TableDefinition(iceberg(name), columns, partitions, properties),
          TableDefinition.Mode.REPLACE);
    } catch (org.apache.iceberg.exceptions.NoSuchTableException e) {
      throw new NoSuchTableException(name);
    }
  }

  @Override
  @SuppressWarnings("deprecation")
  public StagedTable stageCreateOrReplace(
      Identifier name, StructType columns, Transform[] partitions, Map<String, String> properties)
      throws NoSuchNamespaceException {
    return stage(
        name,
        new TableDefinition(iceberg(name), columns, partitions, properties),
        TableDefinition.Mode.CREATE_OR_REPLACE);
  }

  @Override
  public Table alterTable(Identifier name, TableChange... changes) throws NoSuchTableException {
    TableAlteration alteration = new TableAlteration(changes);
    try {
      alteration.apply(opened().catalog().loadTable(iceberg(name)), opened().warehouse().config());
    } catch (org.apache.iceberg.exceptions.NoSuchTableException e) {
      throw new NoSuchTableException(name);
    }
    return loadTable(name);
  }

  @Override
  public boolean dropTable(Identifier name) {
    return opened().catalog().dropTable(iceberg(name), /* purge= */ false);
  }

  @Override
  public boolean purgeTable(Identifier name) {
    return opened().catalog().dropTable(iceberg(name), /* purge= */ true);
  }

  @Override
  public void renameTable(Identifier from, Identifier to)
      throws NoSuchTableException, TableAlreadyExistsException {
    try {
      opened().catalog().renameTable(iceberg(from), iceberg(to));
    } catch (org.apache.iceberg.exceptions.NoSuchTableException e) {
      throw new NoSuchTableException(from);
    } catch (AlreadyExistsException e) {
      throw new TableAlreadyExistsException(to);
    }
  }

  // Namespaces.

  @Override
  public String[] defaultNamespace() {
    return opened().defaultNamespace().clone();
  }

  @Override
  public boolean namespaceExists(String[] namespace) {
    return opened().namespaces().exists(namespace);
  }

  @Override
  public String[][] listNamespaces() {
    return opened().namespaces().list();
  }

  @Override
  public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
    return opened().namespaces().list(namespace);
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace)
      throws NoSuchNamespaceException {
    return opened().namespaces().properties(namespace);
  }

  @Override
  public void createNamespace(String[] namespace, Map<String, String> properties)
      throws NamespaceAlreadyExistsException {
    opened().namespaces().create(namespace, properties);
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes)
      throws NoSuchNamespaceException {
    opened().namespaces().alter(namespace, changes);
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade)
      throws NoSuchNamespaceException {
    return opened().namespaces().drop(namespace);
  }

  // Iceberg's functions, and procedures.

  @Override
  public Identifier[] listFunctions(String[] namespace) throws NoSuchNamespaceException {
    return isSystem(namespace)
        ? SparkFunctionCatalog.get().listFunctions(new String[0])
        : new Identifier[0];
  }

  @Override
  public UnboundFunction loadFunction(Identifier name) throws NoSuchFunctionException {
    // Storage-partitioned joins look functions up without a namespace.
    if (name.namespace().length == 0 || isSystem(name.namespace())) {
      return SparkFunctionCatalog.get().loadFunction(Identifier.of(new String[0], name.name()));
    }
    throw new NoSuchFunctionException(name);
  }

  @Override
  public UnboundProcedure loadProcedure(Identifier name) {
    if (!isSystem(name.namespace())) {
      throw new IcewalException(ErrorKind.INVALID, "there is no procedure " + name);
    }
    return opened().procedures().load(name.name());
  }

  @Override
  public Identifier[] listProcedures(String[] namespace) {
    return isSystem(namespace)
        ? opened().procedures().names().stream()
            .map(name -> Identifier.of(namespace, name))
            .toArray(Identifier[]::new)
        : new Identifier[0];
  }

  private static boolean isSystem(String[] namespace) {
    return namespace.length == 1 && namespace[0].equalsIgnoreCase(SYSTEM);
  }
}
