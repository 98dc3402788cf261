package io.icewal.spark.write;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/// Rows of one task. Used by one thread.
final class InsertWriter implements DataWriter<InternalRow> {
  private final RowStager rows;
  private final int[] ordinals;

  /// @param rows closed with this
  /// @param ordinals where each of the table's columns is in a row
  InsertWriter(RowStager rows, int[] ordinals) {
    this.rows = rows;
    this.ordinals = ordinals;
  }

  @Override
  public void write(InternalRow row) {
    rows.add(row, ordinals);
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
