package io.icewal.trino.write;

import io.airlift.slice.Slice;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementPublisher;
import io.icewal.statement.StatementTable;
import io.icewal.table.TablePosition;
import java.util.Collection;
import java.util.List;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;

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

  /// Makes a table due for materialization now.
  ///
  /// @return the position that it has reached once everything before this is materialized
  /// @throws IcewalException INVALID for a table that is not icewal's
  public Position flush(Table table, TableIdentifier name, String queryId) {
    Position position =
        TablePosition.valid(table)
            .map(TablePosition::position)
            .orElseThrow(
                () -> new IcewalException(ErrorKind.INVALID, "table " + name + " is not icewal's"));
    return statements.flush(StatementTable.of(name.toString(), table, position), queryId);
  }

  private static List<StagedRows> staged(Collection<Slice> fragments) {
    return fragments.stream().map(fragment -> StagedRows.fromBytes(fragment.getBytes())).toList();
  }
}
