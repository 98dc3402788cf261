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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private static final Logger LOG = LoggerFactory.getLogger(TableMaking.class);
  private static final int ATTEMPTS_MAX = 10;

  private final TableIdentifier name;
  private final Transaction transaction;
  private final Supplier<Table> now;
  private final EngineLog log;
  private final Function<PartServices, PartExecutor> executors;
  private final List<DataFile> files = new ArrayList<>();

  /// What an engine has written into the prepared transaction itself.
  private final List<DataFile> enginesFiles = new ArrayList<>();

  private @Nullable Snapshot engines;
  private boolean mayBeMade;

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
    engines = TableStart.added(transaction);
    try (Undo undo = new Undo(this::removeUnlessMade)) {
      if (engines != null) {
        takeOver(engines);
      }
      if (!rows.isEmpty()) {
        write(rows);
      }
      int attempts = 1;
      while (!attempt()) {
        if (attempts++ == ATTEMPTS_MAX) {
          throw new IcewalException(
              ErrorKind.CONFLICT,
              "others changed table " + name + " each time that it was to be replaced");
        }
      }
      undo.keep();
    }
  }

  /// Files that the engine has added to its own transaction.
  private void takeOver(Snapshot added) {
    Table prepared = transaction.table();
    for (DataFile file : added.addedDataFiles(prepared.io())) {
      // What is appended gets ids for its rows, and was read with those of that snapshot.
      enginesFiles.add(DataFiles.builder(prepared.spec()).copy(file).withFirstRowId(null).build());
    }
  }

  /// An error, too, may come when the commit has.
  private void removeUnlessMade() {
    if (!mayBeMade) {
      List<DataFile> all = new ArrayList<>(files);
      all.addAll(enginesFiles);
      try (Undo lists = new Undo(() -> removeLists(engines))) {
        UnusedFiles.delete(transaction.table(), all);
      }
    }
  }

  /// What is left of them goes with a table's orphan removal.
  private void removeLists(@Nullable Snapshot snapshot) {
    if (snapshot != null) {
      try {
        UnusedFiles.deleteLists(transaction.table(), snapshot);
      } catch (RuntimeException e) {
        LOG.warn("Files that list those of table {} and are not needed cannot be removed", name, e);
      }
    }
  }

  /// @return false if others were faster
  private boolean attempt() {
    Transaction attempt = TableStart.again(name, transaction, now);
    boolean hasEngines = attempt.table().currentSnapshot() != null;
    List<DataFile> appended = new ArrayList<>(files);
    if (!hasEngines) {
      appended.addAll(enginesFiles);
    }
    // As late as can be: rows that came before it are a replaced table's, and gone with it.
    TableStart.begin(attempt, log.logEnd(attempt.table().uuid()), appended);
    Snapshot first = attempt.table().currentSnapshot();
    mayBeMade = true;
    try {
      TableStart.commit(attempt);
    } catch (RuntimeException e) {
      if (!landed(e, first)) {
        mayBeMade = false;
        removeLists(first);
        if (e instanceof CommitFailedException) {
          return false;
        }
        throw e;
      }
    }
    if (!hasEngines) {
      removeLists(engines);
    }
    return true;
  }

  /// A commit that failed may have come all the same: an answer was lost, or the first of two tries
  /// came and the second one met it. So what the catalog shows counts first.
  ///
  /// @return false if it has not, and will not
  private boolean landed(RuntimeException failure, Snapshot first) {
    Seen seen;
    try {
      seen = look(first.snapshotId());
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
      throw unknown(failure, first.snapshotId(), "cannot be asked");
    }
    boolean refused =
        failure instanceof CleanableFailure || failure instanceof AlreadyExistsException;
    if (seen != Seen.MADE
        && (!refused || (TableStart.replaces(transaction) && seen == Seen.NOTHING))) {
      throw unknown(failure, first.snapshotId(), "does not show it");
    }
    return seen == Seen.MADE;
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

  private void write(List<StagedRows> rows) {
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

  /// What the catalog shows under the table's name.
  private enum Seen {
    /// The table, as it was made.
    MADE,
    /// The table that was to be replaced, as it was.
    OLD,
    /// Nothing of that table. One that was made may have been renamed since.
    NOTHING
  }

  /// @throws RuntimeException what kept it from looking
  private Seen look(long snapshot) {
    try {
      Table found = now.get();
      if (!found.uuid().equals(transaction.table().uuid())) {
        return Seen.NOTHING;
      }
      return found.snapshot(snapshot) != null ? Seen.MADE : Seen.OLD;
    } catch (NoSuchTableException e) {
      return Seen.NOTHING;
    }
  }
}
