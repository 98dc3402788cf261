package io.icewal.spark.ddl;

import io.icewal.engine.TableMaking;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import java.util.List;
import org.apache.iceberg.Transaction;
import org.jspecify.annotations.Nullable;

/// What a [TableDefinition] began: all of a table but its position, its rows and its commit. Used
/// by one thread.
public final class BegunTable {
  private final Transaction transaction;
  private final @Nullable TableMaking making;
  private final boolean keyed;

  /// @param making the rest of the way; null if it does not become one of icewal's
  /// @param keyed whether one row of each key is live
  BegunTable(Transaction transaction, @Nullable TableMaking making, boolean keyed) {
    this.transaction = transaction;
    this.making = making;
    this.keyed = keyed;
  }

  public Transaction transaction() {
    return transaction;
  }

  /// Whether it becomes one of icewal's.
  public boolean isOwn() {
    return making != null;
  }

  /// What rows of a query are staged for; null if they are written as files, into the transaction.
  public @Nullable StatementTable target() {
    return making == null || !keyed ? null : making.target();
  }

  /// Makes the table, with the files that were added to the transaction.
  ///
  /// @param rows that were staged for [#target]
  public void commit(List<StagedRows> rows) {
    if (making != null) {
      making.commit(rows);
    } else {
      transaction.commitTransaction();
    }
  }
}
