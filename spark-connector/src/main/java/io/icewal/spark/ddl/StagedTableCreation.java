package io.icewal.spark.ddl;

import io.icewal.spark.services.Warehouse;
import io.icewal.spark.write.CreationRows;
import io.icewal.statement.StatementTable;
import io.icewal.table.TableMaking;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.jspecify.annotations.Nullable;

/// A table that a statement is making. Used by one thread.
///
/// With rows of a query (AS) an append-only table gets them as files, in the transaction that makes
/// it. The rows of a keyed one go into its log, where one of each key counts.
public final class StagedTableCreation extends SparkTable implements StagedTable {
  private final BegunTable begun;
  private final Warehouse warehouse;
  private @Nullable CreationRows rows;

  public StagedTableCreation(BegunTable begun, Warehouse warehouse) {
    super(begun.transaction().table());
    this.begun = begun;
    this.warehouse = warehouse;
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    if (!begun.isKeyed()) {
      return super.newWriteBuilder(info);
    }
    TableMaking making = begun.making(warehouse);
    rows =
        new CreationRows(
            warehouse,
            StatementTable.of(begun.name().toString(), making.table(), making.begun()),
            info);
    return rows;
  }

  @Override
  public void commitStagedChanges() {
    CreationRows written = rows;
    if (written != null) {
      begun.making(warehouse).commit(written::publish);
    } else {
      begun.commit(warehouse);
    }
  }

  /// Nothing was made.
  @Override
  public void abortStagedChanges() {}

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
