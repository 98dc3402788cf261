package io.icewal.table;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/// Counts the calls of a catalog that cost a request: `load` (a table is loaded, or looked at
/// again, as Iceberg's operations do by themselves after a commit) and `commit`. Used by one
/// thread.
public final class CountingCatalog implements Catalog {
  private final Catalog inner;
  private final Map<String, Integer> counts = new TreeMap<>();

  public CountingCatalog(Catalog inner) {
    this.inner = inner;
  }

  /// Calls since the last [#reset]; what did not happen is left out.
  public Map<String, Integer> counts() {
    return new TreeMap<>(counts);
  }

  public void reset() {
    counts.clear();
  }

  private void count(String call) {
    counts.merge(call, 1, Integer::sum);
  }

  @Override
  public Table loadTable(TableIdentifier name) {
    count("load");
    Table table = inner.loadTable(name);
    return new BaseTable(new Operations(((HasTableOperations) table).operations()), table.name());
  }

  @Override
  public List<TableIdentifier> listTables(Namespace namespace) {
    count("list");
    return inner.listTables(namespace);
  }

  @Override
  public boolean dropTable(TableIdentifier name, boolean purge) {
    count("drop");
    return inner.dropTable(name, purge);
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    count("rename");
    inner.renameTable(from, to);
  }

  private final class Operations extends ForwardingTableOperations {
    private boolean stale;

    Operations(TableOperations delegate) {
      super(delegate);
    }

    @Override
    public TableMetadata current() {
      if (stale) {
        return refresh();
      }
      return delegate.current();
    }

    @Override
    public TableMetadata refresh() {
      count("load");
      stale = false;
      return delegate.refresh();
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      count("commit");
      stale = true;
      delegate.commit(base, metadata);
    }
  }
}
