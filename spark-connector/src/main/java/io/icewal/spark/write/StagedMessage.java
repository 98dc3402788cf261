package io.icewal.spark.write;

import io.icewal.statement.StagedRows;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.jspecify.annotations.Nullable;

/// The blocks that a task staged.
///
/// @param blocks in the bytes of [StagedRows]
record StagedMessage(List<byte[]> blocks) implements WriterCommitMessage {
  /// All blocks of all tasks.
  ///
  /// @param messages null for tasks that did not end
  static List<StagedRows> rows(@Nullable WriterCommitMessage[] messages) {
    List<StagedRows> rows = new ArrayList<>();
    for (WriterCommitMessage message : messages) {
      if (message instanceof StagedMessage staged) {
        staged.blocks().forEach(block -> rows.add(StagedRows.fromBytes(block)));
      }
    }
    return rows;
  }
}
