package io.icewal.engine;

import io.icewal.materialize.CyclePlan;
import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartResult;
import io.icewal.materialize.PartServices;
import io.icewal.materialize.PartTask;
import io.icewal.materialize.Parts;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import io.icewal.table.FixedTable;
import io.icewal.table.TableStart;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CleanableFailure;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/// A table that a statement is making, new or in the place of another, with the rows of its query.
/// Used by one thread.
///
/// 1. Tasks stage rows as for any statement ([#target]).
/// 2. They are read where they were staged and written into files of the table. They never go
///    through the log: it would keep them for a table that nobody knows if the statement failed,
///    and would give them to the old table where one is replaced, as both have one UUID.
/// 3. One commit of the catalog makes the table, with its files and its position.
///
/// So others see all of it or nothing, and wherever it stops, nothing is left but objects and files
/// that the usual clean-up takes.
public final class TableMaking {
  private final TableIdentifier name;
  private final Transaction transaction;
  private final Supplier<Table> now;
  private final EngineLog log;
  private final Function<PartServices, PartExecutor> executors;

  /// Works in this process.
  public TableMaking(
      TableIdentifier name, Transaction transaction, Supplier<Table> now, EngineLog log) {
    this(name, transaction, now, log, LocalExecutor::new);
  }

  /// @param transaction that [TableStart#prepare] has prepared
  /// @param now loads what the catalog has under the name
  /// @param executors makes what works on the rows, from what is there in this process
  public TableMaking(
      TableIdentifier name,
      Transaction transaction,
      Supplier<Table> now,
      EngineLog log,
      Function<PartServices, PartExecutor> executors) {
    this.name = name;
    this.transaction = transaction;
    this.now = now;
    this.log = log;
    this.executors = executors;
  }

  /// What tasks stage rows for.
  public StatementTable target() {
    Table table = transaction.table();
    return StatementTable.of(
        name.toString(), table, log.root().logOf(table.uuid()).at(/* number= */ 0));
  }

  /// Makes the table.
  ///
  /// @param rows that were staged for [#target]: of several rows of a key the last one counts
  /// @throws IcewalException CONFLICT if staged rows are gone, or as the store or the rows
  ///   themselves demand: nothing was made; UNKNOWN if the catalog did not say whether the table
  ///   was made, and it cannot be seen
  public void commit(List<StagedRows> rows) {
    List<DataFile> files = rows.isEmpty() ? List.of() : write(rows);
    long snapshot;
    try {
      // As late as can be: rows that came before it are a replaced table's, and gone with it.
      TableStart.begin(transaction, log.logEnd(transaction.table().uuid()), files);
      snapshot = transaction.table().currentSnapshot().snapshotId();
    } catch (RuntimeException e) {
      delete(files, e);
      throw e;
    }
    try {
      transaction.commitTransaction();
    } catch (CommitStateUnknownException e) {
      if (!isMade(snapshot, e)) {
        throw new IcewalException(
            ErrorKind.UNKNOWN,
            "whether table "
                + name
                + " was made is not known, the catalog did not say and does not show it: look at"
                + " the table. Its snapshot would be "
                + snapshot
                + "; "
                + e.getMessage(),
            e);
      }
    } catch (RuntimeException e) {
      if (e instanceof CleanableFailure) {
        delete(files, e);
      }
      throw e;
    }
  }

  /// Removes files that no commit names. What cannot be removed is told beside the failure, and
  /// left to orphan removal.
  private void delete(List<DataFile> files, RuntimeException cause) {
    for (DataFile file : files) {
      try {
        transaction.table().io().deleteFile(file.location());
      } catch (RuntimeException e) {
        cause.addSuppressed(e);
      }
    }
  }

  private List<DataFile> write(List<StagedRows> rows) {
    // Its files go where its own properties say: of what its catalog does not have yet, the
    // catalog's own operations may know no place, or that of the table that it replaces.
    Table table = FixedTable.of(transaction.table());
    LogReader reader = log.reader(log.root().logOf(table.uuid()));
    List<BlockRef> blocks = new ArrayList<>(rows.size());
    for (StagedRows staged : rows) {
      blocks.add(staged.block().unpublished(reader.log(), blocks.size()));
    }
    String file = new UUID(log.random().nextLong(), log.random().nextLong()).toString();
    CyclePlan plan = new CyclePlan(table, reader, blocks, file);
    try (BufferAllocator allocator =
            log.allocator().newChildAllocator("make table", 0, Long.MAX_VALUE);
        Parts parts = executors.apply(Materialization.services(allocator)).begin(plan)) {
      // There are no old rows to look for.
      return parts.run(new PartTask(file, /* writes= */ true, Set.of()), table).stream()
          .map(PartResult::files)
          .flatMap(List::stream)
          .toList();
    }
  }

  /// Whether the table is there, for all that the catalog said.
  private boolean isMade(long snapshot, CommitStateUnknownException unknown) {
    try {
      Table found = now.get();
      return found.uuid().equals(transaction.table().uuid()) && found.snapshot(snapshot) != null;
    } catch (NoSuchTableException e) {
      return false;
    } catch (RuntimeException e) {
      unknown.addSuppressed(e);
      return false;
    }
  }
}
