package io.icewal.spark.write;

import io.icewal.spark.services.Warehouse;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import java.util.List;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/// The rows of a table that a statement is making, staged by its tasks. Used by one thread.
public final class CreationRows implements SupportsTruncate {
  private final Warehouse warehouse;
  private final StatementTable table;
  private final GivenColumns columns;
  private List<StagedRows> staged = List.of();

  /// @param table as it will be
  public CreationRows(Warehouse warehouse, StatementTable table, LogicalWriteInfo info) {
    this.warehouse = warehouse;
    this.table = table;
    this.columns = GivenColumns.of(table, info.schema());
  }

  /// Spark overwrites what it has just made; there is nothing in it.
  @Override
  public WriteBuilder truncate() {
    return this;
  }

  @Override
  public Write build() {
    return new Write() {
      @Override
      public BatchWrite toBatch() {
        return new StagingWrite();
      }

      @Override
      public String description() {
        return "write rows of " + table.name() + ", which is being made";
      }
    };
  }

  /// What the tasks have staged, once all of them are done.
  public List<StagedRows> staged() {
    return staged;
  }

  private final class StagingWrite implements BatchWrite {
    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo physical) {
      return new InsertWriterFactory(warehouse.settings(), table, columns.ordinals());
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
      staged = StagedMessage.rows(messages);
    }

    /// What was staged is never published and cleaned up in time.
    @Override
    public void abort(WriterCommitMessage[] messages) {}
  }
}
