package io.icewal.materialize;

import io.icewal.materialize.MaterializeResult.Status;
import io.icewal.merge.KeyColumns;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.CommitOutcome;
import io.icewal.table.DeletionVectors;
import io.icewal.table.IcewalTables;
import io.icewal.table.TableChange;
import io.icewal.table.TablePosition;
import io.icewal.table.UnusedFiles;
import io.icewal.wal.BlockRef;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NotFoundException;

/// One cycle of one table, from blocks to a commit. Used once.
///
/// Data files are written once; after a conflict only deletion vectors are made anew. A row that
/// another engine deleted or rewrote in between keeps the `_row_id` that was found first: ids stay
/// unique, since the row found first is deleted in either case.
final class Cycle {
  /// What a cycle works with.
  record Services(
      IcewalTables tables,
      Materializer.CommitFactory commits,
      PartServices parts,
      PartExecutor executor) {}

  private final Services services;
  private final TableIdentifier tableName;
  private final UUID tableId;
  private final String name;
  private boolean sent;

  /// @param tableId the table's UUID: after a commit, asking the table for it would load it again
  Cycle(Services services, TableIdentifier tableName, UUID tableId, String name) {
    this.services = services;
    this.tableName = tableName;
    this.tableId = tableId;
    this.name = name;
  }

  /// @param table to commit to; a commit that is lost refreshes it
  MaterializeResult run(
      CyclePlan plan, Table table, TablePosition expected, Position next, boolean more) {
    try (Change change = change(plan);
        Undo undo = new Undo(() -> deleteUnsent(table, change))) {
      MaterializeResult result = commit(change, table, expected, next);
      if (result.status() != Status.COMMITTED) {
        return result;
      }
      undo.keep();
      long rows = plan.blocks().stream().mapToLong(BlockRef::rows).sum();
      return new MaterializeResult(Status.COMMITTED, tableId, rows, next, more, result.detail());
    }
  }

  private Change change(CyclePlan plan) {
    Parts parts = services.executor().begin(plan);
    return plan.key().isEmpty()
        ? new Appends(plan, parts, services.parts().manifests())
        : new Upserts(plan, parts, services.parts().manifests());
  }

  private MaterializeResult commit(
      Change change, Table first, TablePosition expected, Position next) {
    KeyColumns key = KeyColumns.of(first.schema());
    Table table = first;
    String last = "";
    for (int attempt = 1; attempt <= services.parts().config().attemptsMax(); attempt++) {
      CommitOutcome outcome = attempt(change, table, expected, next, attempt);
      if (outcome instanceof CommitOutcome.Committed) {
        return new MaterializeResult(Status.COMMITTED, tableId, 0, next, false, "");
      }
      if (outcome instanceof CommitOutcome.Moved) {
        CommitOutcome.Moved moved = (CommitOutcome.Moved) outcome;
        sent |= moved.sent();
        return new MaterializeResult(Status.CONFLICT, tableId, 0, null, true, moved.reason());
      }
      CommitOutcome.Conflict conflict = (CommitOutcome.Conflict) outcome;
      sent |= conflict.sent();
      last = conflict.reason();
      table = services.tables().load(tableName);
      if (!table.uuid().equals(tableId)) {
        return new MaterializeResult(
            Status.CONFLICT, tableId, 0, null, true, tableName + " is another table now");
      }
      if (!key.sameTypes(KeyColumns.of(table.schema()))) {
        // Files may have come whose keys this cycle cannot read: the next one reads its rows anew.
        return new MaterializeResult(
            Status.CONFLICT, tableId, 0, null, true, "the key of " + tableName + " changed");
      }
    }
    throw new IcewalException(
        ErrorKind.CONFLICT,
        "commit to "
            + tableName
            + " lost "
            + services.parts().config().attemptsMax()
            + " times against other commits, last: "
            + last);
  }

  private CommitOutcome attempt(
      Change change, Table table, TablePosition expected, Position next, int number) {
    DeletionVectors deletes;
    try {
      deletes = change.prepare(table, name + "-" + number);
    } catch (NotFoundException e) {
      return afterExpiry(table, expected, e);
    }
    Long base = change.needsBase() ? snapshotId(table).orElse(null) : null;
    return attempt(
        table, expected, new TableChange(base, change.files(), deletes, change.truncates()), next);
  }

  /// Others may have replaced files of the snapshot, and expired it, while they were looked into.
  private CommitOutcome afterExpiry(Table table, TablePosition expected, NotFoundException gone) {
    Table now = services.tables().load(tableName);
    if (snapshotId(now).equals(snapshotId(table))) {
      throw gone;
    }
    String reason = "files of the snapshot before are gone: " + gone.getMessage();
    return TablePosition.read(now).equals(Optional.of(expected))
        ? new CommitOutcome.Conflict(reason, /* sent= */ false)
        : new CommitOutcome.Moved(reason, /* sent= */ false);
  }

  private static Optional<Long> snapshotId(Table table) {
    return Optional.ofNullable(table.currentSnapshot()).map(Snapshot::snapshotId);
  }

  private CommitOutcome attempt(
      Table table, TablePosition expected, TableChange change, Position next) {
    boolean before = sent;
    sent = true;
    CommitOutcome outcome = services.commits().of(table, expected).attempt(change, next);
    sent = before;
    return outcome;
  }

  /// Removes what nobody can know of. Once a commit was sent, whatever its answer, orphan removal
  /// decides by reachability.
  private void deleteUnsent(Table table, Change change) {
    if (!sent) {
      UnusedFiles.delete(table, change.files());
    }
  }

  /// The rows of a cycle as changes to a table. Two implementations: [Upserts] and [Appends].
  interface Change extends AutoCloseable {
    /// Writes the data files if that was not done yet, and the deletes for the table as it is now.
    ///
    /// @param attemptName a part of file names that no other attempt uses
    DeletionVectors prepare(Table table, String attemptName);

    /// The data files that the change adds; none before they are written.
    List<DataFile> files();

    /// Whether the change is right only for the snapshot it was prepared for.
    boolean needsBase();

    /// Whether all rows that the table had go.
    boolean truncates();

    @Override
    void close();
  }
}
