package io.icewal.spark.write;

import io.icewal.merge.KeyColumns;
import io.icewal.spark.services.Warehouse;
import io.icewal.statement.StatementTable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.iceberg.Schema;
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
  private final Schema schema;
  private final Supplier<StatementTable> table;
  private final Function<CaseInsensitiveStringMap, ScanBuilder> scans;

  /// @param command what the statement does
  /// @param schema of the table; with a key of whole columns
  /// @param table the table in the cut that the scans see
  /// @param scans of that cut
  public ChangeByKey(
      Command command,
      Warehouse warehouse,
      Schema schema,
      Supplier<StatementTable> table,
      Function<CaseInsensitiveStringMap, ScanBuilder> scans) {
    this.command = command;
    this.warehouse = warehouse;
    this.schema = schema;
    this.table = table;
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
    return KeyColumns.of(schema).keySchema().columns().stream()
        .map(column -> Expressions.column("`" + column.name().replace("`", "``") + "`"))
        .toArray(NamedReference[]::new);
  }

  @Override
  public DeltaWriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    StatementTable seen = table.get();
    return new DeltaWriteBuilder() {
      @Override
      public DeltaWrite build() {
        return new DeltaWrite() {
          @Override
          public DeltaBatchWrite toBatch() {
            return new ChangeBatch(seen, info.queryId());
          }
        };
      }
    };
  }

  private final class ChangeBatch implements DeltaBatchWrite {
    private final StatementTable seen;
    private final String statement;

    private ChangeBatch(StatementTable seen, String statement) {
      this.seen = seen;
      this.statement = statement;
    }

    @Override
    public DeltaWriterFactory createBatchWriterFactory(PhysicalWriteInfo physical) {
      return new ChangeWriterFactory(warehouse.settings(), seen);
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
      warehouse.statements().change(seen, statement, StagedMessage.rows(messages));
    }

    /// Spark calls this too when it cannot tell whether the commit took effect.
    @Override
    public void abort(WriterCommitMessage[] messages) {}
  }
}
