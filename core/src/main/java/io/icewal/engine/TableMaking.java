package io.icewal.engine;

import io.icewal.materialize.CyclePlan;
import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartServices;
import io.icewal.materialize.PartTask;
import io.icewal.materialize.Parts;
import io.icewal.materialize.Undo;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import io.icewal.table.FixedTable;
import io.icewal.table.TableStart;
import io.icewal.table.UnusedFiles;
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
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CleanableFailure;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/// A table that a statement is making, new or in the place of another, with the rows of its query.
/// Used by one thread.
///
/// 1. Tasks stage rows as for any statement ([#target]).
/// 2. They are read where they were staged and written into files of the table. They never go
///    through the log: it would keep them for a table that nobody knows if the statement failed,
///    and would give them to the old table where one is replaced, as both have one UUID.
/// 3. One commit of the catalog makes the table, with its files and its position: a replaced table
///    is taken as it is at that moment, and if others are faster it is taken again.
///
/// So others see all of it or nothing. Where it stops halfway, it removes its files, if it can and
/// if no commit may still come; else they are left: those for a replaced table go with its orphan
/// removal, those of a table that never came to be lie in its folder and are removed by hand.
/// Staged objects go by themselves after 72 h.
public final class TableMaking {
  private static final int ATTEMPTS_MAX = 10;

  private final TableIdentifier name;
  private final Transaction transaction;
  private final Supplier<Table> now;
  private final EngineLog log;
  private final Function<PartServices, PartExecutor> executors;
  private boolean tookOver;

  /// Works in this process.
  public TableMaking(
      TableIdentifier name, Transaction transaction, Supplier<Table> now, EngineLog log) {
    this(name, transaction, now, log, LocalExecutor::new);
  }

  /// @param transaction that [TableStart#prepare] has prepared
  /// @param now loads what the catalog has under the name, now; throws NoSuchTableException if that
  ///   is nothing, and any other exception if it cannot tell
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
  /// @throws AlreadyExistsException if it was to be new and is not
  /// @throws IcewalException CONFLICT if staged rows are gone or if others change a replaced table
  ///   so that the statement is to be run again, or as the store or the rows themselves demand:
  ///   nothing was made; UNKNOWN if the commit failed in a way that does not rule out that it
  ///   comes, and the table cannot be seen
  public void commit(List<StagedRows> rows) {
    List<DataFile> files = new ArrayList<>();
    try (Undo undo = new Undo(() -> UnusedFiles.delete(transaction.table(), files))) {
      if (!rows.isEmpty()) {
        write(rows, files);
      }
      int attempts = 1;
      while (!attempt(files, undo)) {
        if (attempts++ == ATTEMPTS_MAX) {
          throw new IcewalException(
              ErrorKind.CONFLICT,
              "others changed table " + name + " each time that it was to be replaced");
        }
      }
    }
  }

  /// @param undo is kept from removing files that are the table's, or may become so
  /// @return false if others were faster
  private boolean attempt(List<DataFile> files, Undo undo) {
    Transaction attempt = TableStart.again(name, transaction, now);
    takeOver(attempt, files);
    // As late as can be: rows that came before it are a replaced table's, and gone with it.
    TableStart.begin(attempt, log.logEnd(attempt.table().uuid()), files);
    Snapshot first = attempt.table().currentSnapshot();
    try {
      TableStart.commit(attempt);
      undo.keep();
      return true;
    } catch (RuntimeException e) {
      return afterFailure(e, first, undo);
    }
  }

  /// Files that the engine has added to its own transaction, where that is not committed itself.
  private void takeOver(Transaction attempt, List<DataFile> files) {
    Table prepared = transaction.table();
    Snapshot added = prepared.currentSnapshot();
    if (added == null || attempt.table().currentSnapshot() != null || tookOver) {
      return;
    }
    for (DataFile file : added.addedDataFiles(prepared.io())) {
      // What is appended gets ids for its rows, and was read with those of that snapshot.
      files.add(DataFiles.builder(prepared.spec()).copy(file).withFirstRowId(null).build());
    }
    tookOver = true;
    UnusedFiles.deleteLists(prepared, added);
  }

  /// A commit that failed may have come all the same: an answer was lost, or the first of two tries
  /// came and the second one met it. So what the catalog shows counts first.
  ///
  /// @return as [#attempt]
  private boolean afterFailure(RuntimeException failure, Snapshot first, Undo undo) {
    boolean made;
    try {
      made = isMade(first.snapshotId());
    } catch (RuntimeException e) {
      undo.keep();
      failure.addSuppressed(e);
      throw unknown(failure, first.snapshotId(), "cannot be asked");
    }
    if (made) {
      undo.keep();
      return true;
    }
    if (!(failure instanceof CleanableFailure || failure instanceof AlreadyExistsException)) {
      undo.keep();
      throw unknown(failure, first.snapshotId(), "does not show it");
    }
    try (Undo lists = new Undo(() -> UnusedFiles.deleteLists(transaction.table(), first))) {
      if (failure instanceof CommitFailedException) {
        return false;
      }
      throw failure;
    }
  }

  private IcewalException unknown(RuntimeException failure, long snapshot, String catalog) {
    return new IcewalException(
        ErrorKind.UNKNOWN,
        "whether table "
            + name
            + " was made is not known, the catalog did not say and "
            + catalog
            + ": look at the table. Its snapshot would be "
            + snapshot
            + "; "
            + failure.getMessage(),
        failure);
  }

  /// @param files gets the files, before anything can fail that comes after them
  private void write(List<StagedRows> rows, List<DataFile> files) {
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
      parts
          .run(new PartTask(file, /* writes= */ true, Set.of()), table)
          .forEach(part -> files.addAll(part.files()));
    }
  }

  /// Whether the table is there; throws what kept it from looking.
  private boolean isMade(long snapshot) {
    try {
      Table found = now.get();
      return found.uuid().equals(transaction.table().uuid()) && found.snapshot(snapshot) != null;
    } catch (NoSuchTableException e) {
      return false;
    }
  }
}
