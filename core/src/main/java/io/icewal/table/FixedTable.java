package io.icewal.table;

import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/// A table as it was when it was loaded. A commit, won or lost, refreshes the table that it was
/// made on, and what is asked of that table later is what others have made of it since; this one
/// stays as it is, whatever is done to the table that it was made of.
public final class FixedTable {
  private FixedTable() {}

  /// The table as it is now, for reading and for writing files, not for commits.
  public static Table of(Table table) {
    TableOperations operations = ((HasTableOperations) table).operations();
    return new BaseTable(new Operations(operations, operations.current()), table.name());
  }

  private static final class Operations extends ForwardingTableOperations {
    private final TableMetadata metadata;

    Operations(TableOperations delegate, TableMetadata metadata) {
      super(delegate);
      this.metadata = metadata;
    }

    @Override
    public TableMetadata current() {
      return metadata;
    }

    @Override
    public TableMetadata refresh() {
      return metadata;
    }

    @Override
    public LocationProvider locationProvider() {
      return LocationProviders.locationsFor(metadata.location(), metadata.properties());
    }

    @Override
    public void commit(@Nullable TableMetadata base, TableMetadata changed) {
      throw new UnsupportedOperationException("a table as it was takes no commit");
    }
  }
}
