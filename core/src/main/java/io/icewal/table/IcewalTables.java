package io.icewal.table;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.util.LocationUtil;
import org.jspecify.annotations.Nullable;

/// Creates, loads and finds the tables of a catalog. Thread-safe if the catalog is.
///
/// A table is created with its position, the end of its log, in one transaction that also makes a
/// first, empty snapshot: there is no table without a position, and the position moves with
/// snapshots from the beginning.
public final class IcewalTables {
  private final Catalog catalog;

  public IcewalTables(Catalog catalog) {
    this.catalog = catalog;
  }

  public Catalog catalog() {
    return catalog;
  }

  /// Creates a table, and its namespace if there is none.
  ///
  /// @param schema with the primary key as identifier fields; without any the table is append-only
  /// @param properties go before icewal's own defaults
  /// @param logEnd the end of the log that a table with the given UUID belongs to
  /// @throws IcewalException INVALID for what icewal does not keep, or if the table is there
  ///   already
  public CreatedTable create(
      TableIdentifier name,
      Schema schema,
      PartitionSpec spec,
      Map<String, String> properties,
      Function<UUID, Position> logEnd) {
    TableRules.check(name);
    TableRules.check(schema);
    TableRules.checkProperties(properties);
    if (properties.containsKey(TablePosition.PROPERTY)) {
      throw new IcewalException(
          ErrorKind.INVALID, "property " + TablePosition.PROPERTY + " cannot be set by hand");
    }
    createNamespace(name.namespace());
    Map<String, String> all = new LinkedHashMap<>(TableRules.defaults(schema));
    all.putAll(properties);
    try {
      commitNew(name, schema, spec, all, logEnd);
    } catch (AlreadyExistsException e) {
      throw new IcewalException(ErrorKind.INVALID, "table " + name + " exists already", e);
    }
    return new CreatedTable(load(name), TableRules.warnings(schema, spec));
  }

  private void commitNew(
      TableIdentifier name,
      Schema schema,
      PartitionSpec spec,
      Map<String, String> properties,
      Function<UUID, Position> logEnd) {
    String version = properties.get(TableProperties.FORMAT_VERSION);
    if (!"3".equals(version)) {
      throw new IcewalException(
          ErrorKind.INVALID, "format-version must be 3 for a table of icewal, got " + version);
    }
    Catalog.TableBuilder builder =
        catalog
            .buildTable(name, schema)
            .withPartitionSpec(spec)
            .withSortOrder(SortOrder.unsorted())
            .withProperties(properties);
    Transaction transaction = builder.createTransaction();
    Table made = transaction.table();
    if (TableFolder.mayBeTaken(made.io(), made.location())) {
      String own = LocationUtil.stripTrailingSlash(made.location()) + "-" + made.uuid();
      transaction = builder.withLocation(own).createTransaction();
    }
    begin(transaction, logEnd.apply(transaction.table().uuid()), List.of());
    transaction.commitTransaction();
  }

  /// The first snapshot, empty but for the files, and the position.
  static void begin(Transaction transaction, Position position, List<DataFile> files) {
    TableMetadata base = TablePosition.metadata(transaction.table());
    TablePosition first = TablePosition.of(position, base, base.lastSequenceNumber() + 1);
    AppendFiles append = transaction.newFastAppend();
    files.forEach(append::appendFile);
    append.set(TablePosition.SUMMARY, position.toString()).commit();
    transaction.updateProperties().set(TablePosition.PROPERTY, first.toString()).commit();
  }

  private void createNamespace(Namespace namespace) {
    if (namespace.isEmpty() || !(catalog instanceof SupportsNamespaces)) {
      return;
    }
    SupportsNamespaces namespaces = (SupportsNamespaces) catalog;
    if (!namespaces.namespaceExists(namespace)) {
      try {
        namespaces.createNamespace(namespace);
      } catch (AlreadyExistsException e) {
        // Another process was faster: that is all the same.
        return;
      }
    }
  }

  /// Loads a table now.
  ///
  /// @throws IcewalException INVALID if there is none of that name
  public Table load(TableIdentifier name) {
    try {
      return catalog.loadTable(name);
    } catch (NoSuchTableException | NoSuchNamespaceException e) {
      throw new IcewalException(ErrorKind.INVALID, "there is no table " + name, e);
    }
  }

  /// Finds a table by its UUID: under its last known name, else among the tables of all namespaces.
  ///
  /// @param tablesMax how many tables to load at most beside the one of that name
  public TableSearch find(UUID tableId, TableIdentifier lastName, int tablesMax) {
    TableSearch named = loadIf(tableId, lastName);
    if (named != null) {
      return named;
    }
    if (!(catalog instanceof SupportsNamespaces namespaces)) {
      return new TableSearch.Unsure();
    }
    int[] budget = {tablesMax};
    TableSearch found = search(namespaces, Namespace.empty(), tableId, budget);
    return found == null ? new TableSearch.Gone() : found;
  }

  /// @param budget how many more tables may be loaded
  /// @return null if none of the namespaces below the parent has the table
  private @Nullable TableSearch search(
      SupportsNamespaces namespaces, Namespace parent, UUID tableId, int[] budget) {
    List<Namespace> children =
        parent.isEmpty() ? namespaces.listNamespaces() : namespaces.listNamespaces(parent);
    for (Namespace child : children) {
      for (TableIdentifier name : catalog.listTables(child)) {
        if (budget[0]-- <= 0) {
          return new TableSearch.Unsure();
        }
        TableSearch found = loadIf(tableId, name);
        if (found != null) {
          return found;
        }
      }
      TableSearch below = search(namespaces, child, tableId, budget);
      if (below != null) {
        return below;
      }
    }
    return null;
  }

  private TableSearch.@Nullable Found loadIf(UUID tableId, TableIdentifier name) {
    try {
      Table table = catalog.loadTable(name);
      return tableId.equals(table.uuid()) ? new TableSearch.Found(name, table) : null;
    } catch (NoSuchTableException | NoSuchNamespaceException e) {
      return null;
    }
  }

  /// Whether the table of that UUID has that name now.
  public boolean isNamed(UUID tableId, TableIdentifier name) {
    return loadIf(tableId, name) != null;
  }
}
