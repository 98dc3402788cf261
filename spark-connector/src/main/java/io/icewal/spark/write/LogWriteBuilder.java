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
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;

/// Rows that are added to a table, or take the place of all of its rows. Used by one thread.
public final class LogWriteBuilder implements SupportsTruncate {
  private final Warehouse warehouse;
  private final StatementTable table;
  private final Runnable beforePublishing;
  private final LogicalWriteInfo info;
  private final GivenColumns columns;
  private boolean truncates;

  /// @param beforePublishing fails if the table cannot take the rows by then
  /// @throws io.icewal.model.IcewalException INVALID if the rows do not have the table's columns
  public LogWriteBuilder(
      Warehouse warehouse, StatementTable table, Runnable beforePublishing, LogicalWriteInfo info) {
    this.warehouse = warehouse;
    this.table = table;
    this.beforePublishing = beforePublishing;
    this.info = info;
    this.columns = GivenColumns.of(table, info.schema());
  }

  @Override
  public WriteBuilder truncate() {
    truncates = true;
    return this;
  }

  @Override
  public Write build() {
    return new Write() {
      @Override
      public BatchWrite toBatch() {
        return new LogBatchWrite();
      }

      @Override
      public StreamingWrite toStreaming() {
        columns.requireTypes();
        return new LogStreamingWrite(
            warehouse, table, beforePublishing, info, columns.ordinals(), truncates);
      }

      @Override
      public String description() {
        return "write into the log of " + table.name();
      }
    };
  }

  private final class LogBatchWrite implements BatchWrite {
    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo physical) {
      return new InsertWriterFactory(warehouse.settings(), table, columns.ordinals());
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
      List<StagedRows> rows = StagedMessage.rows(messages);
      beforePublishing.run();
      if (truncates) {
        warehouse.statements().overwrite(table, info.queryId(), rows);
      } else {
        warehouse.statements().insert(table, info.queryId(), rows);
      }
    }

    /// Spark calls this too when it cannot tell whether the commit took effect.
    @Override
    public void abort(WriterCommitMessage[] messages) {}
  }
}
