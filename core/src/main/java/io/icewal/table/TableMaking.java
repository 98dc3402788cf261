package io.icewal.table;

import io.icewal.model.Position;
import java.util.UUID;
import java.util.function.Function;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;

/// A table that a statement is making, with rows that go into its log. Used by one thread.
///
/// The rows of a new table come first: until it is there nobody asks for them, and from then on all
/// of them count. A table that takes the place of another has its UUID: rows that came first would
/// be the old one's.
public final class TableMaking {
  private final Transaction transaction;
  private final boolean replaces;
  private final Function<UUID, Position> logEnd;
  private final Position begun;

  /// @param transaction that [TableStart#prepare] has prepared
  /// @param replaces whether the table takes the place of another
  /// @param logEnd the end of the log that a table with the given UUID belongs to
  public TableMaking(Transaction transaction, boolean replaces, Function<UUID, Position> logEnd) {
    this.transaction = transaction;
    this.replaces = replaces;
    this.logEnd = logEnd;
    this.begun = end();
    if (!replaces) {
      TableStart.begin(transaction, begun);
    }
  }

  private Position end() {
    return logEnd.apply(transaction.table().uuid());
  }

  /// The table as it will be.
  public Table table() {
    return transaction.table();
  }

  /// A position before all rows that are written for the table.
  public Position begun() {
    return begun;
  }

  /// Makes the table, with the rows that `publish` appends to its log.
  public void commit(Runnable publish) {
    if (replaces) {
      commit();
      publish.run();
    } else {
      publish.run();
      commit();
    }
  }

  /// Makes the table, without rows.
  public void commit() {
    if (replaces) {
      // As late as can be: rows that came before it are the old table's, and gone with it.
      TableStart.begin(transaction, end());
    }
    transaction.commitTransaction();
  }
}
