package io.icewal.spark.write;

import io.icewal.merge.KeyColumns;
import io.icewal.spark.services.Warehouse;
import io.icewal.statement.StatementTable;
import java.util.function.Function;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.DeltaBatchWrite;
import org.apache.spark.sql.connector.write.DeltaWrite;
import org.apache.spark.sql.connector.write.DeltaWriteBuilder;
import org.apache.spark.sql.connector.write.DeltaWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsDelta;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// An UPDATE, DELETE or MERGE of a table with a primary key: rows are found by their key, and
/// written only if nobody has written their keys since the statement has read. Used by one thread.
public final class ChangeByKey implements SupportsDelta {
  private final Command command;
  private final Warehouse warehouse;
  private final StatementTable table;
  private final Runnable beforePublishing;
  private final Function<CaseInsensitiveStringMap, ScanBuilder> scans;

  /// @param command what the statement does
  /// @param table the table in the cut that the scans see, with a key of whole columns
  /// @param beforePublishing fails if the table is another one by then
  /// @param scans of that cut
  public ChangeByKey(
      Command command,
      Warehouse warehouse,
      StatementTable table,
      Runnable beforePublishing,
      Function<CaseInsensitiveStringMap, ScanBuilder> scans) {
    this.command = command;
    this.warehouse = warehouse;
    this.table = table;
    this.beforePublishing = beforePublishing;
    this.scans = scans;
  }

  @Override
  public Command command() {
    return command;
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return scans.apply(options);
  }

  @Override
  public NamedReference[] rowId() {
    return KeyColumns.of(table.schema()).keySchema().columns().stream()
        .map(column -> Expressions.column("`" + column.name().replace("`", "``") + "`"))
        .toArray(NamedReference[]::new);
  }

  @Override
  public DeltaWriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new DeltaWriteBuilder() {
      @Override
      public DeltaWrite build() {
        return new DeltaWrite() {
          @Override
          public DeltaBatchWrite toBatch() {
            return new ChangeBatch(info.queryId());
          }
        };
      }
    };
  }

  private final class ChangeBatch implements DeltaBatchWrite {
    private final String statement;

    private ChangeBatch(String statement) {
      this.statement = statement;
    }

    @Override
    public DeltaWriterFactory createBatchWriterFactory(PhysicalWriteInfo physical) {
      return new ChangeWriterFactory(warehouse.settings(), table);
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
      beforePublishing.run();
      warehouse.statements().change(table, statement, StagedMessage.rows(messages));
    }

    /// Spark calls this too when it cannot tell whether the commit took effect.
    @Override
    public void abort(WriterCommitMessage[] messages) {}
  }
}
