package io.icewal.table;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.CommitOutcome.Committed;
import io.icewal.table.CommitOutcome.Conflict;
import io.icewal.table.CommitOutcome.Moved;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Commits files and position of one table together.
///
/// 1. A transaction over [GuardedOperations] with a [PositionCheck]: the snapshot with all of
///    Iceberg's validations, then the position.
/// 2. Refused because the table changed, or unknown: load the table and look, first for the own
///    snapshot (then it has landed), then at the position.
/// 3. The caller finds old rows again on [Conflict] and makes another attempt, of its own bound.
///
/// Nothing is deleted here, whatever the outcome. Used by one thread.
public final class TableCommit {
  private static final Logger LOG = LoggerFactory.getLogger(TableCommit.class);

  private final Table table;
  private final TablePosition expected;
  private final Guards guards;

  /// @param expected the position from which the files were made
  public TableCommit(Table table, TablePosition expected) {
    this(table, expected, Guards.ALL);
  }

  TableCommit(Table table, TablePosition expected, Guards guards) {
    this.table = table;
    this.expected = expected;
    this.guards = guards;
  }

  /// One attempt.
  ///
  /// @throws IcewalException UNAVAILABLE if nothing was sent; UNKNOWN if the outcome could not be
  ///   looked up; INVALID if the table is gone
  public CommitOutcome attempt(TableChange change, Position position) {
    TableOperations operations = ((HasTableOperations) table).operations();
    Long exactBase = guards.exactBase() ? change.exactBase() : null;
    PositionCheck check = guards.position() ? new PositionCheck(expected, exactBase) : null;
    GuardedOperations guard = new GuardedOperations(operations, check);
    Attempt attempt = new Attempt();
    try {
      return attempt.run(guard, change, position);
    } catch (PositionCheck.PositionMoved e) {
      return new Moved(String.valueOf(e.getMessage()), false);
    } catch (NoSuchTableException e) {
      throw new IcewalException(ErrorKind.INVALID, "table " + table.name() + " is gone", e);
    } catch (RuntimeException e) {
      return afterFailure(guard, attempt, e);
    }
  }

  private CommitOutcome afterFailure(GuardedOperations guard, Attempt attempt, RuntimeException e) {
    if (!guards.lookAfterUnknown() && e instanceof CommitStateUnknownException) {
      throw e;
    }
    boolean refused = e instanceof ValidationException || e instanceof IllegalArgumentException;
    if (!guard.sent() && !refused) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE, "commit to " + table.name() + " could not be prepared: " + e, e);
    }
    LOG.info("Commit to {} did not succeed at once, looking: {}", table.name(), e.toString());
    return look(guard, attempt, e);
  }

  private CommitOutcome look(GuardedOperations guard, Attempt attempt, RuntimeException cause) {
    TableMetadata now = refresh(guard, cause);
    if (guard.sent() && attempt.landedIn(now)) {
      return attempt.committed();
    }
    String replaced = TablePosition.whyReplaced(now);
    if (replaced != null) {
      return new Moved("the table was replaced: " + replaced, guard.sent());
    }
    TablePosition seen = TablePosition.read(now).orElseThrow();
    if (!seen.equals(expected)) {
      return new Moved("position is " + seen + ", expected " + expected, guard.sent());
    }
    return new Conflict(String.valueOf(cause.getMessage()), guard.sent());
  }

  private TableMetadata refresh(GuardedOperations guard, RuntimeException cause) {
    try {
      return guard.refresh();
    } catch (NoSuchTableException e) {
      e.addSuppressed(cause);
      throw new IcewalException(ErrorKind.INVALID, "table " + table.name() + " is gone", e);
    } catch (RuntimeException e) {
      e.addSuppressed(cause);
      throw new IcewalException(
          guard.sent() ? ErrorKind.UNKNOWN : ErrorKind.UNAVAILABLE,
          "commit to " + table.name() + " failed and the table cannot be loaded: " + cause,
          e);
    }
  }

  /// One transaction, and what is to be known of it after its failure.
  private final class Attempt {
    private @org.jspecify.annotations.Nullable Committed staged;

    CommitOutcome run(GuardedOperations guard, TableChange change, Position position) {
      Transaction transaction = Transactions.newTransaction(table.name(), guard);
      TableMetadata base = ((HasTableOperations) transaction.table()).operations().current();
      TablePosition next = TablePosition.of(position, base, base.lastSequenceNumber() + 1);
      stage(transaction, change, next);
      transaction.updateProperties().set(TablePosition.PROPERTY, next.toString()).commit();
      staged = new Committed(transaction.table().currentSnapshot().snapshotId(), next);
      transaction.commitTransaction();
      return staged;
    }

    boolean landedIn(TableMetadata now) {
      return staged != null && now.snapshot(staged.snapshotId()) != null;
    }

    Committed committed() {
      if (staged == null) {
        throw new IllegalStateException("nothing was staged");
      }
      return staged;
    }
  }

  /// A change with a base has looked for old rows in it, and is refused if others have added rows
  /// since, whether it found any or not.
  private void stage(Transaction transaction, TableChange change, TablePosition next) {
    if (change.isEmpty() && !guards.snapshotAlways()) {
      return;
    }
    String summary = next.position().toString();
    if (change.base() == null) {
      AppendFiles append = change.isEmpty() ? transaction.newFastAppend() : transaction.newAppend();
      change.added().forEach(append::appendFile);
      append.set(TablePosition.SUMMARY, summary).commit();
    } else {
      RowDelta delta = rowDelta(transaction, change, change.base());
      delta.set(TablePosition.SUMMARY, summary);
      delta.commit();
    }
  }

  private RowDelta rowDelta(Transaction transaction, TableChange change, long base) {
    RowDelta delta = transaction.newRowDelta();
    DeletionVectors deletes = change.deletes();
    for (DataFile file : change.added()) {
      delta.addRows(file);
    }
    for (DeleteFile file : deletes.added()) {
      delta.addDeletes(file);
    }
    deletes.removedFiles().forEach(delta::removeRows);
    if (guards.removeReplaced()) {
      deletes.replaced().forEach(delta::removeDeletes);
    }
    if (guards.fromSnapshot()) {
      delta.validateFromSnapshot(base);
    }
    if (guards.dataFilesExist()) {
      delta.validateDataFilesExist(deletes.referenced());
    }
    if (guards.deletedFiles()) {
      delta.validateDeletedFiles();
    }
    if (guards.noConflictingData()) {
      delta.validateNoConflictingDataFiles();
    }
    return delta;
  }
}
