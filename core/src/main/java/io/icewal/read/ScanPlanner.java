package io.icewal.read;

import io.icewal.expression.Condition;
import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.TablePosition;
import io.icewal.tail.TableAt;
import io.icewal.tail.Tail;
import io.icewal.tail.TailOf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/// Plans fresh scans.
///
/// 1. The cut: boundary, table, tail, boundary again ([io.icewal.tail.TailReader#read]).
/// 2. Columns and condition are bound to the schema of that table.
/// 3. The tail's keys are read and the newest row of each is found ([TailPart]).
/// 4. The snapshot's files are planned by Iceberg with the condition's pruning expression, and each
///    gets its slice of the keys ([KeySlices]).
///
/// A file that the condition prunes needs no slice, but rows of the tail hide rows of the others
/// whether they fulfil the condition or not.
final class ScanPlanner {
  /// Tries to plan while what is planned is trimmed, or expires, at the same time.
  private static final int ATTEMPTS_MAX = 4;

  /// Stands for a table whose UUID is not known yet: with one log it is as good as any.
  private static final UUID UNKNOWN_TABLE = new UUID(0, 0);

  private final ScanRequest request;
  private final ScanServices services;
  private final BufferAllocator allocator;

  ScanPlanner(ScanRequest request, ScanServices services, BufferAllocator allocator) {
    this.request = request;
    this.services = services;
    this.allocator = allocator;
  }

  FreshScan plan() {
    for (int attempt = 1; ; attempt++) {
      try {
        return planOnce();
      } catch (IcewalException e) {
        if (e.kind() != ErrorKind.CONFLICT || attempt == ATTEMPTS_MAX) {
          throw e;
        }
      } catch (NotFoundException e) {
        if (attempt == ATTEMPTS_MAX) {
          throw new IcewalException(
              ErrorKind.CONFLICT,
              "metadata of table " + request.table() + " is gone, its snapshot may have expired",
              e);
        }
      }
    }
  }

  private FreshScan planOnce() {
    Long snapshotId = request.snapshotId();
    if (snapshotId != null) {
      return planSnapshot(snapshotId);
    }
    TailOf<Table> cut = cut();
    Table table = cut.table().table();
    return plan(table, table.schema(), table.currentSnapshot(), cut.table().position(), cut.tail());
  }

  private TailOf<Table> cut() {
    if (request.freshness() == Freshness.FRESH) {
      return services.tails().read(UNKNOWN_TABLE, this::load, request.atLeast());
    }
    TableAt<Table> table = load();
    Position position = table.position();
    Position atLeast = request.atLeast();
    if (atLeast != null
        && (position == null
            || !position.log().equals(atLeast.log())
            || position.number() < atLeast.number())) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "table "
              + request.table()
              + " is materialized up to "
              + position
              + ", not yet up to "
              + atLeast);
    }
    return new TailOf<>(table, null);
  }

  private TableAt<Table> load() {
    Table table = services.tables().apply(request.table());
    return TableAt.of(table, TablePosition.valid(table).map(TablePosition::position).orElse(null));
  }

  private FreshScan planSnapshot(long snapshotId) {
    Table table = services.tables().apply(request.table());
    Snapshot snapshot = table.snapshot(snapshotId);
    if (snapshot == null) {
      throw new IcewalException(
          ErrorKind.INVALID, "table " + request.table() + " has no snapshot " + snapshotId);
    }
    Schema schema = SnapshotUtil.schemaFor(table, snapshotId);
    return plan(table, schema, snapshot, null, null);
  }

  private FreshScan plan(
      Table table,
      Schema schema,
      @Nullable Snapshot snapshot,
      @Nullable Position position,
      @Nullable Tail tail) {
    String where = request.where();
    Condition condition = where == null ? null : Condition.parse(where, schema);
    ScanColumns columns = ScanColumns.of(schema, request.columns(), condition);
    KeyColumns key = KeyColumns.of(schema);
    KeySlices slices = new KeySlices(key, table.specs());
    TailPart part = null;
    if (tail != null) {
      part =
          key.isEmpty()
              ? TailPart.appended(tail)
              : TailPart.keyed(
                  tail, key, KeyRange.ALL, condition, table.specs(), slices, allocator);
    }
    boolean hidesAll = tail != null && tail.truncates();
    List<FileTask> files =
        snapshot == null || hidesAll
            ? List.of()
            : files(table, schema, key, snapshot, condition, slices);
    FileReads reads = new FileReads(table, schema, key, services.keyPages());
    return new FreshScan(request, columns, condition, snapshot, position, part, files, reads);
  }

  private List<FileTask> files(
      Table table,
      Schema schema,
      KeyColumns key,
      Snapshot snapshot,
      @Nullable Condition condition,
      KeySlices slices) {
    TableScan scan = table.newScan();
    if (request.snapshotId() != null) {
      scan = scan.useSnapshot(snapshot.snapshotId());
    }
    if (condition != null) {
      scan = scan.filter(condition.pruning());
    }
    ExecutorService planner = services.planner();
    if (planner != null) {
      scan = scan.planWith(planner);
    }
    List<String> keyNames =
        TypeUtil.indexNameById(schema.asStruct()).entrySet().stream()
            .filter(entry -> key.fieldIds().contains(entry.getKey()))
            .map(java.util.Map.Entry::getValue)
            .toList();
    if (!keyNames.isEmpty()) {
      scan = scan.includeColumnStats(keyNames);
    }
    List<FileTask> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        files.add(new FileTask(task, slices.of(task.file())));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the plan of " + request.table(), e);
    }
    return files;
  }
}
