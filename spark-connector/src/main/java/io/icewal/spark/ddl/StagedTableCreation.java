package io.icewal.spark.ddl;

import io.icewal.spark.services.Warehouse;
import io.icewal.spark.write.CreationRows;
import io.icewal.spark.write.MainBranch;
import io.icewal.statement.StatementTable;
import java.util.List;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.jspecify.annotations.Nullable;

/// A table that a statement is making. Used by one thread.
///
/// With rows of a query (AS) an append-only table gets them as files, in the transaction that makes
/// it. The rows of a keyed one are staged first, as one of each key counts.
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
    StatementTable target = begun.target();
    if (target == null) {
      if (begun.isOwn()) {
        MainBranch.require(SparkSession.active(), name(), table(), branch(), info.options());
      }
      return super.newWriteBuilder(info);
    }
    rows = new CreationRows(warehouse, target, info);
    return rows;
  }

  @Override
  public void commitStagedChanges() {
    begun.commit(rows == null ? List.of() : rows.staged());
  }

  /// Nothing was made.
  @Override
  public void abortStagedChanges() {}

  /// None. Spark 4.2 has two such methods to take it from, and takes neither.
  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    return new CustomTaskMetric[0];
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
