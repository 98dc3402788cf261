package io.icewal.spark.ddl;

import io.icewal.spark.services.Warehouse;
import io.icewal.table.TableMaking;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What a [TableDefinition] began: all of a table but its position, its rows and its commit. Used
/// by one thread.
public final class BegunTable {
  private final TableIdentifier name;
  private final Transaction transaction;
  private final boolean own;
  private final boolean keyed;
  private final boolean replaces;
  private @Nullable TableMaking making;

  /// @param own whether it becomes one of icewal's
  /// @param keyed whether one row of each key is live
  /// @param replaces whether it takes the place of another
  BegunTable(
      TableIdentifier name, Transaction transaction, boolean own, boolean keyed, boolean replaces) {
    this.name = name;
    this.transaction = transaction;
    this.own = own;
    this.keyed = keyed;
    this.replaces = replaces;
  }

  public TableIdentifier name() {
    return name;
  }

  public Transaction transaction() {
    return transaction;
  }

  public boolean isKeyed() {
    return keyed;
  }

  /// The rest of the way, for one of icewal's.
  public TableMaking making(Warehouse warehouse) {
    TableMaking found = making;
    if (found == null) {
      found = new TableMaking(transaction, replaces, warehouse::logEnd);
      making = found;
    }
    return found;
  }

  /// Makes the table, with the files that were added to the transaction.
  public void commit(Warehouse warehouse) {
    if (own) {
      making(warehouse).commit();
    } else {
      transaction.commitTransaction();
    }
  }
}
