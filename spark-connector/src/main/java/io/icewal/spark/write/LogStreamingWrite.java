package io.icewal.spark.write;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.services.Warehouse;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementPublisher.Content;
import io.icewal.statement.StatementTable;
import io.icewal.wal.EarlierAttempts.IfForgotten;
import java.util.List;
import java.util.UUID;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;

/// Epochs of a stream, each of them published once. Its name is the query's id, which the
/// checkpoint keeps.
final class LogStreamingWrite implements StreamingWrite {
  /// Write option: `append:N` or `skip:N`, what to do with an epoch of which the log cannot tell
  /// any more whether it has it.
  private static final String UNKNOWN_EPOCH = "unknownEpoch";

  private final Warehouse warehouse;
  private final StatementTable table;
  private final Runnable beforePublishing;
  private final UUID stream;
  private final String unknownEpoch;
  private final int[] ordinals;
  private final Content content;

  /// @param ordinals where each of the table's columns is in a row
  /// @param truncates whether an epoch has all rows that the table is to have
  LogStreamingWrite(
      Warehouse warehouse,
      StatementTable table,
      Runnable beforePublishing,
      LogicalWriteInfo info,
      int[] ordinals,
      boolean truncates) {
    this.warehouse = warehouse;
    this.table = table;
    this.beforePublishing = beforePublishing;
    this.stream = UUID.fromString(info.queryId());
    this.unknownEpoch = info.options().getOrDefault(UNKNOWN_EPOCH, "");
    this.ordinals = ordinals;
    this.content = truncates ? Content.ALL_ROWS : Content.MORE_ROWS;
    if (!unknownEpoch.isEmpty() && !unknownEpoch.matches("(append|skip):\\d{1,18}")) {
      throw new IcewalException(
          ErrorKind.INVALID,
          UNKNOWN_EPOCH + " is '" + unknownEpoch + "', expected 'append:N' or 'skip:N'");
    }
  }

  @Override
  public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo physical) {
    return new EpochWriterFactory(new InsertWriterFactory(warehouse.settings(), table, ordinals));
  }

  @Override
  public void commit(long epoch, WriterCommitMessage[] messages) {
    List<StagedRows> rows = StagedMessage.rows(messages);
    if (!rows.isEmpty() || content == Content.ALL_ROWS) {
      beforePublishing.run();
    }
    warehouse.epochs().publish(table, stream, epoch, content, rows, ifForgotten(epoch));
  }

  private IfForgotten ifForgotten(long epoch) {
    if (unknownEpoch.equals("append:" + epoch)) {
      return IfForgotten.APPEND;
    }
    return unknownEpoch.equals("skip:" + epoch) ? IfForgotten.SKIP : IfForgotten.REFUSE;
  }

  /// Spark calls this too when it cannot tell whether the commit took effect.
  @Override
  public void abort(long epoch, WriterCommitMessage[] messages) {}
}
