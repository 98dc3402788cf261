package io.icewal.read;

import io.icewal.expression.Condition;
import io.icewal.model.Position;
import io.icewal.tail.Tail;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/// One cut through a table, planned. On the heap; immutable; may be executed any number of times,
/// until what it refers to is trimmed or expired.
public final class FreshScan {
  /// The snapshot id of a table without snapshot.
  public static final long NO_SNAPSHOT = -1;

  private final ScanRequest request;
  private final ScanColumns columns;
  private final @Nullable Condition condition;
  private final @Nullable Snapshot snapshot;
  private final @Nullable Position position;
  private final @Nullable TailPart tail;
  private final List<FileTask> files;
  private final FileReads reads;

  FreshScan(
      ScanRequest request,
      ScanColumns columns,
      @Nullable Condition condition,
      @Nullable Snapshot snapshot,
      @Nullable Position position,
      @Nullable TailPart tail,
      List<FileTask> files,
      FileReads reads) {
    this.request = request;
    this.columns = columns;
    this.condition = condition;
    this.snapshot = snapshot;
    this.position = position;
    this.tail = tail;
    this.files = List.copyOf(files);
    this.reads = reads;
  }

  /// Plans a scan.
  ///
  /// @param allocator for the keys of the tail, while planning
  /// @throws IcewalException INVALID for an unknown column or a condition that is not understood;
  ///   UNAVAILABLE if what is asked for is not there yet, or the store is not; CORRUPT
  public static FreshScan plan(
      ScanRequest request, ScanServices services, BufferAllocator allocator) {
    return new ScanPlanner(request, services, allocator).plan();
  }

  /// The table as it was loaded for this cut.
  public Table table() {
    return reads.table();
  }

  /// The columns of the result.
  public Schema projection() {
    return columns.projection();
  }

  /// The snapshot that is read, or [#NO_SNAPSHOT].
  public long snapshotId() {
    return snapshot == null ? NO_SNAPSHOT : snapshot.snapshotId();
  }

  /// Where the snapshot's part ends and the tail begins; empty if the table has no position, or if
  /// an older snapshot is read.
  public Optional<Position> position() {
    return Optional.ofNullable(position);
  }

  /// Up to where the log was read; the position if the tail was not read.
  public Optional<Position> end() {
    return tail == null ? position() : Optional.of(tail.tail().end());
  }

  /// The snapshot's files, each with the tail's keys that it may hold. None if the tail removes all
  /// of them.
  public List<FileTask> files() {
    return files;
  }

  /// The rows of a Parquet data file that the tail hides, ascending: the virtual deletes of this
  /// cut.
  public long[] hidden(FileTask task) {
    return reads.hidden(task);
  }

  /// Rows of the tail that may be in the result, before what of the condition is not over the key.
  public long tailRows() {
    return tail == null ? 0 : tail.liveRows();
  }

  /// The rows, batch by batch: those of the files, then those of the tail in log order.
  public FreshRows execute(BufferAllocator allocator) {
    return execute(columns, request.limit(), allocator);
  }

  private FreshRows execute(ScanColumns wanted, long limit, BufferAllocator allocator) {
    List<Supplier<RowSource>> sources = new ArrayList<>();
    boolean onlyCounted = wanted.read().columns().isEmpty();
    for (FileTask task : files) {
      sources.add(
          onlyCounted
              ? () -> new CountedRows(reads.count(task, allocator))
              : () -> reads.open(task, wanted, allocator));
    }
    TailPart part = tail;
    if (part != null) {
      sources.add(
          onlyCounted
              ? () -> new CountedRows(part.liveRows())
              : () ->
                  new TailRows(part.tail(), part.index(), part.live(), wanted.read(), allocator));
    }
    return new FreshRows(sources.iterator(), new RowFilter(wanted, condition), limit, allocator);
  }

  /// The exact number of rows of the result. Reads no more than it must: without a condition,
  /// deletes and keys alone.
  public long count(BufferAllocator allocator) {
    ScanColumns none = ScanColumns.of(reads.schema(), List.of(), condition);
    try (FreshRows rows = execute(none, request.limit(), allocator)) {
      long count = 0;
      while (rows.next()) {
        count += rows.root().getRowCount();
      }
      return count;
    }
  }

  /// Numbers for people. Those of a scan with a condition are of what it reads.
  public ScanStatus status(BufferAllocator allocator) {
    Optional<Tail> read = Optional.ofNullable(tail).map(TailPart::tail);
    return new ScanStatus(
        count(allocator),
        position(),
        end(),
        read.map(Tail::rows).orElse(0L),
        read.map(Tail::bytes).orElse(0L),
        read.flatMap(Tail::oldest),
        read.map(Tail::parkedBlocks).orElse(0),
        files.size(),
        files.stream().mapToLong(task -> task.scan().file().fileSizeInBytes()).sum(),
        files.stream().filter(task -> !task.scan().deletes().isEmpty()).count(),
        snapshotId());
  }
}
