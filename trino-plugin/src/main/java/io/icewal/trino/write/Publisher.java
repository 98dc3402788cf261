package io.icewal.trino.write;

import io.airlift.slice.Slice;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementPublisher;
import java.util.Collection;
import java.util.List;

/// Appends what queries wrote to the log, once for each query whatever is tried again. One for a
/// coordinator; thread-safe.
public final class Publisher {
  private final StatementPublisher statements;

  public Publisher(StatementPublisher statements) {
    this.statements = statements;
  }

  /// Publishes an INSERT.
  public void insert(LogTable table, String queryId, Collection<Slice> fragments) {
    WriteErrors.translating(
        () -> statements.insert(table.inStatement(), queryId, staged(fragments)));
  }

  /// Publishes a statement that has read before: all its deletes, then all its rows.
  ///
  /// @throws io.trino.spi.TrinoException TRANSACTION_CONFLICT if keys of it were written since
  public void merge(LogTable table, String queryId, Collection<Slice> fragments) {
    WriteErrors.translating(
        () -> statements.change(table.inStatement(), queryId, staged(fragments)));
  }

  /// Removes every row that the table has when this is stored.
  public void truncate(LogTable table, String queryId) {
    WriteErrors.translating(() -> statements.truncate(table.inStatement(), queryId));
  }

  /// What the tasks of a query have staged.
  public static List<StagedRows> staged(Collection<Slice> fragments) {
    return fragments.stream().map(fragment -> StagedRows.fromBytes(fragment.getBytes())).toList();
  }
}
