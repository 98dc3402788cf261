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
  /// All blocks of all tasks, for the commit.
  ///
  /// @param messages one of each task
  /// @throws IllegalStateException if a task's is missing: its rows would be lost
  static List<StagedRows> rows(@Nullable WriterCommitMessage[] messages) {
    List<StagedRows> rows = new ArrayList<>();
    for (int task = 0; task < messages.length; task++) {
      if (!(messages[task] instanceof StagedMessage staged)) {
        throw new IllegalStateException(
            "task "
                + task
                + " did not tell of its rows, but of "
                + messages[task]
                + ": nothing was written");
      }
      staged.blocks().forEach(block -> rows.add(StagedRows.fromBytes(block)));
    }
    return rows;
  }
}
