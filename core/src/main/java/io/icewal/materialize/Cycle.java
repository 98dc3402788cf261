package io.icewal.materialize;

import io.icewal.materialize.MaterializeResult.Status;
import io.icewal.merge.KeyColumns;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.parquet.KeyPageCache;
import io.icewal.table.CommitOutcome;
import io.icewal.table.DeletionVectors;
import io.icewal.table.IcewalTables;
import io.icewal.table.ManifestCache;
import io.icewal.table.TableChange;
import io.icewal.table.TablePosition;
import io.icewal.tail.Tail;
import io.icewal.wal.BlockRef;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;

/// One cycle of one table, from blocks to a commit. Used once.
///
/// Data files are written once; after a conflict only deletion vectors are made anew. A row that
/// another engine deleted or rewrote in between keeps the `_row_id` that was found first: ids stay
/// unique, since the row found first is deleted in either case.
final class Cycle {
  /// What a cycle works with.
  record Services(
      IcewalTables tables,
      MaterializeConfig config,
      BufferAllocator allocator,
      Materializer.CommitFactory commits,
      ManifestCache manifests,
      KeyPageCache keyPages) {}

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

  MaterializeResult run(
      Table table,
      TablePosition expected,
      Tail tail,
      List<BlockRef> blocks,
      Position next,
      boolean more) {
    KeyColumns key = KeyColumns.of(table.schema());
    DeltaWriter writer = new DeltaWriter(table, key, name, services.allocator());
    try (Change change = change(table, key, tail, blocks, writer)) {
      MaterializeResult result = commit(change, table, key, expected, writer, next);
      if (result.status() != Status.COMMITTED) {
        deleteUnsent(table, writer);
        return result;
      }
      long rows = blocks.stream().mapToLong(BlockRef::rows).sum();
      return new MaterializeResult(Status.COMMITTED, tableId, rows, next, more, result.detail());
    } catch (RuntimeException e) {
      deleteUnsent(table, writer, e);
      throw e;
    }
  }

  private Change change(
      Table table, KeyColumns key, Tail tail, List<BlockRef> blocks, DeltaWriter writer) {
    if (key.isEmpty()) {
      return Appends.write(services, tail, blocks, writer, table);
    }
    return new Upserts(
        services, SortedTail.read(services, table.schema(), key, tail, blocks), key, writer);
  }

  private MaterializeResult commit(
      Change change,
      Table first,
      KeyColumns key,
      TablePosition expected,
      DeltaWriter writer,
      Position next) {
    Table table = first;
    String last = "";
    for (int attempt = 1; attempt <= services.config().attemptsMax(); attempt++) {
      DeletionVectors deletes = change.prepare(table, name + "-" + attempt);
      Snapshot snapshot = table.currentSnapshot();
      Long base = change.needsBase() && snapshot != null ? snapshot.snapshotId() : null;
      CommitOutcome outcome =
          attempt(
              table,
              expected,
              new TableChange(base, writer.files(), deletes, change.truncates()),
              next);
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
            + services.config().attemptsMax()
            + " times against other commits, last: "
            + last);
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
  private void deleteUnsent(Table table, DeltaWriter writer) {
    if (!sent) {
      for (DataFile file : writer.files()) {
        table.io().deleteFile(file.location());
      }
    }
  }

  private void deleteUnsent(Table table, DeltaWriter writer, RuntimeException cause) {
    try {
      deleteUnsent(table, writer);
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  /// The rows of a cycle as changes to a table. Two implementations: [Upserts] and [Appends].
  interface Change extends AutoCloseable {
    /// Writes the data files if that was not done yet, and the deletes for the table as it is now.
    ///
    /// @param attemptName a part of file names that no other attempt uses
    DeletionVectors prepare(Table table, String attemptName);

    /// Whether the change is right only for the snapshot it was prepared for.
    boolean needsBase();

    /// Whether all rows that the table had go.
    boolean truncates();

    @Override
    void close();
  }
}
