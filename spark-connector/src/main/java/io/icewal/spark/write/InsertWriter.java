package io.icewal.spark.write;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/// Rows of one task, in the table's columns. Used by one thread.
final class InsertWriter implements DataWriter<InternalRow> {
  private final RowStager rows;

  /// @param rows closed with this
  InsertWriter(RowStager rows) {
    this.rows = rows;
  }

  @Override
  public void write(InternalRow row) {
    rows.add(row);
  }

  @Override
  public WriterCommitMessage commit() {
    return new StagedMessage(rows.finish());
  }

  /// What was staged is never published and cleaned up in time.
  @Override
  public void abort() {}

  @Override
  public void close() {
    rows.close();
  }
}
