package io.icewal.sim;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.BaseMetastoreCatalog;
import org.apache.iceberg.BaseMetastoreTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ServiceUnavailableException;
import org.apache.iceberg.io.FileIO;

/// A compare-and-swap catalog in memory, shared by all actors: every call is a point of the
/// schedule and may meet a fault, a commit's answer may be lost, and a commit may land late.
final class SimCatalog extends BaseMetastoreCatalog implements SupportsNamespaces {
  static final Namespace NAMESPACE = Namespace.of("ns");

  /// Who watches: told of everything that comes to be, in order.
  interface Watcher {
    void committed(TableMetadata metadata);

    void renamed(TableIdentifier from, TableIdentifier to);

    void dropped(TableIdentifier identifier);
  }

  private final Map<TableIdentifier, String> tables = new ConcurrentHashMap<>();
  private final SimFileIO io;
  private final Schedule schedule;
  private final Faults faults;
  private final Watcher watcher;

  SimCatalog(SimFileIO io, Schedule schedule, Faults faults, Watcher watcher) {
    this.io = io;
    this.schedule = schedule;
    this.faults = faults;
    this.watcher = watcher;
    initialize("sim", Map.of());
  }

  @Override
  public String name() {
    return "sim";
  }

  @Override
  protected TableOperations newTableOps(TableIdentifier identifier) {
    return new Operations(identifier);
  }

  @Override
  protected String defaultWarehouseLocation(TableIdentifier identifier) {
    return "sim://warehouse/" + identifier.toString().replace('.', '/');
  }

  @Override
  public List<TableIdentifier> listTables(Namespace namespace) {
    schedule.point("list tables");
    return tables.keySet().stream()
        .filter(id -> id.namespace().equals(namespace))
        .sorted(java.util.Comparator.comparing(TableIdentifier::toString))
        .toList();
  }

  @Override
  public boolean dropTable(TableIdentifier identifier, boolean purge) {
    schedule.point("drop table");
    boolean there = tables.remove(identifier) != null;
    if (there) {
      watcher.dropped(identifier);
    }
    return there;
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    schedule.point("rename table");
    String location = tables.get(from);
    if (location == null) {
      throw new NoSuchTableException("No table: %s", from);
    }
    if (tables.putIfAbsent(to, location) != null) {
      throw new AlreadyExistsException("Table exists: %s", to);
    }
    tables.remove(from);
    watcher.renamed(from, to);
  }

  @Override
  public void createNamespace(Namespace namespace, Map<String, String> metadata) {
    throw new AlreadyExistsException("Namespace exists: %s", namespace);
  }

  @Override
  public List<Namespace> listNamespaces(Namespace parent) {
    schedule.point("list namespaces");
    return parent.isEmpty() ? List.of(NAMESPACE) : List.of();
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(Namespace namespace) {
    if (!namespace.equals(NAMESPACE)) {
      throw new NoSuchNamespaceException("No namespace: %s", namespace);
    }
    return Map.of();
  }

  @Override
  public boolean dropNamespace(Namespace namespace) {
    throw new UnsupportedOperationException("there is one namespace");
  }

  @Override
  public boolean setProperties(Namespace namespace, Map<String, String> properties) {
    throw new UnsupportedOperationException("a namespace has no properties");
  }

  @Override
  public boolean removeProperties(Namespace namespace, Set<String> properties) {
    throw new UnsupportedOperationException("a namespace has no properties");
  }

  private final class Operations extends BaseMetastoreTableOperations {
    private final TableIdentifier identifier;

    Operations(TableIdentifier identifier) {
      this.identifier = identifier;
    }

    @Override
    protected String tableName() {
      return "sim." + identifier;
    }

    @Override
    public FileIO io() {
      return io;
    }

    @Override
    protected void doRefresh() {
      schedule.point("load " + identifier);
      if (faults.readFails("load table")) {
        throw new ServiceUnavailableException("simulated: load %s", identifier);
      }
      String location = tables.get(identifier);
      if (location == null && currentMetadataLocation() != null) {
        throw new NoSuchTableException("No table: %s", identifier);
      }
      refreshFromMetadataLocation(location, 0);
    }

    @Override
    protected void doCommit(TableMetadata base, TableMetadata metadata) {
      String expected = base == null ? null : base.metadataFileLocation();
      String location = writeNewMetadata(metadata, currentVersion() + 1);
      schedule.point("commit " + identifier);
      switch (faults.fateOfWrite("commit")) {
        case ARRIVES -> {
          if (!swap(identifier, expected, location)) {
            throw new CommitFailedException("Table has moved: %s", identifier);
          }
        }
        case FAILS -> throw unknown("not applied");
        case LOST_ANSWER -> {
          swap(identifier, expected, location);
          throw unknown("answer lost");
        }
        case TRAVELS -> {
          faults.travel(() -> swap(identifier, expected, location));
          throw unknown("still travels");
        }
      }
      schedule.point("commit answered " + identifier);
    }
  }

  private CommitStateUnknownException unknown(String why) {
    schedule.waitInVain();
    schedule.point("commit got no answer");
    return new CommitStateUnknownException(new java.io.IOException("simulated: " + why));
  }

  private boolean swap(
      TableIdentifier identifier, @org.jspecify.annotations.Nullable String expected, String next) {
    String current = tables.get(identifier);
    boolean same = expected == null ? current == null : expected.equals(current);
    if (same) {
      tables.put(identifier, next);
      schedule.observe(() -> watcher.committed(TableMetadataParser.read(io.unobserved(), next)));
    }
    return same;
  }
}
