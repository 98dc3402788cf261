package io.icewal.spark.ddl;

import io.icewal.spark.services.Warehouse;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;

/// A table of icewal that a statement is making. Used by one thread.
///
/// With rows of a query (AS) an append-only table gets them as files, in the transaction that makes
/// it. A keyed one does not: rows of one key would stand side by side.
public final class StagedTableCreation extends SparkTable implements StagedTable {
  private final Transaction transaction;
  private final TableDefinition definition;
  private final Warehouse warehouse;

  /// @param transaction that the definition began
  public StagedTableCreation(
      Transaction transaction, TableDefinition definition, Warehouse warehouse) {
    super(transaction.table());
    this.transaction = transaction;
    this.definition = definition;
    this.warehouse = warehouse;
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    if (definition.isKeyed()) {
      throw new UnsupportedOperationException(
          "a table with a primary key cannot be made with the rows of a query yet: create it, then"
              + " insert them");
    }
    return super.newWriteBuilder(info);
  }

  @Override
  public void commitStagedChanges() {
    definition.commit(transaction, warehouse);
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
