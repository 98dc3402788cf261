package io.icewal.sim;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.apache.iceberg.BaseMetastoreCatalog;
import org.apache.iceberg.BaseMetastoreTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ServiceUnavailableException;
import org.apache.iceberg.io.FileIO;

/// A compare-and-swap catalog in memory, shared by all actors: every call is a point of the
/// schedule and may meet a fault, a commit's answer may be lost, and a commit may land late.
final class SimCatalog extends BaseMetastoreCatalog {
  private final Map<TableIdentifier, String> tables = new ConcurrentHashMap<>();
  private final SimFileIO io;
  private final Schedule schedule;
  private final Faults faults;
  private final BiConsumer<TableIdentifier, TableMetadata> committed;

  /// @param committed told of every new metadata version, in order
  SimCatalog(
      SimFileIO io,
      Schedule schedule,
      Faults faults,
      BiConsumer<TableIdentifier, TableMetadata> committed) {
    this.io = io;
    this.schedule = schedule;
    this.faults = faults;
    this.committed = committed;
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
    return tables.remove(identifier) != null;
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    schedule.point("rename table");
    String location = tables.remove(from);
    if (location == null) {
      throw new NoSuchTableException("No table: %s", from);
    }
    tables.put(to, location);
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
      schedule.observe(
          () -> committed.accept(identifier, TableMetadataParser.read(io.unobserved(), next)));
    }
    return same;
  }
}
