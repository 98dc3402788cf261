package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.spark.read.StreamOffset.At;
import io.icewal.spark.read.StreamOffset.Contents;
import io.icewal.tail.Tail;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.jspecify.annotations.Nullable;

/// A table as a stream: the files of one snapshot, then the log from that snapshot's position on.
/// Used by the thread of its query.
///
/// A batch is either of files or of the log, where it has the newest row of each key that was
/// written between two positions: rows of a batch come in no order.
final class LogStream implements MicroBatchStream, SupportsTriggerAvailableNow {
  /// Between two looks at a log in which there was nothing new.
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /// A batch without rows is made when the log has gone on so far, or so long, without rows of the
  /// table: what the checkpoint says must not fall behind what is trimmed.
  private static final long EMPTY_SEGMENTS = 256;

  private static final long EMPTY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final StreamedTable table;
  private final StreamOptions options;
  private final StreamBatches batches;
  private @Nullable Position target;
  private boolean isLookedAt;

  /// There is nothing of the table between these two.
  private @Nullable Position emptyFrom;

  private @Nullable Position emptyTo;
  private long emptySince;
  private long lastLook;

  LogStream(StreamedTable table, StreamOptions options, StreamBatches batches) {
    this.table = table;
    this.options = options;
    this.batches = batches;
  }

  @Override
  public Offset initialOffset() {
    return StreamOffset.start(options.start());
  }

  @Override
  public Offset deserializeOffset(String json) {
    return StreamOffset.parse(json);
  }

  /// No further than what is there now.
  @Override
  public void prepareForTriggerAvailableNow() {
    target = table.end();
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return options.rowsMax() == Long.MAX_VALUE
        ? ReadLimit.allAvailable()
        : ReadLimit.maxRows(options.rowsMax());
  }

  @Override
  public Offset latestOffset() {
    throw new UnsupportedOperationException("asked with a limit");
  }

  @Override
  public Offset latestOffset(Offset start, ReadLimit limit) {
    long rowsMax = limit instanceof ReadMaxRows rows ? rows.maxRows() : Long.MAX_VALUE;
    At from = StreamOffset.parse(start.json()).at();
    At next = from == null ? first(rowsMax) : next(from, rowsMax);
    return next.equals(from) ? start : StreamOffset.at(next);
  }

  /// The first batch: its end tells for ever where the stream has begun.
  private At first(long rowsMax) {
    BaseTable now = table.now();
    isLookedAt = true;
    long sequence = StreamedTable.sequence(now);
    if (!options.start().equals(StreamOptions.EARLIEST)) {
      return new At(table.id(), startingPosition(), sequence, null);
    }
    long snapshot = now.currentSnapshot().snapshotId();
    int files = table.files(snapshot).size();
    At none = new At(table.id(), table.position(now), sequence, new Contents(snapshot, 0, files));
    return files == 0 ? none : moreFiles(none, rowsMax);
  }

  private Position startingPosition() {
    Position end = table.end();
    if (options.start().equals(StreamOptions.LATEST)) {
      return end;
    }
    Position position = Position.parse(options.start());
    if (!position.log().equals(end.log()) || position.number() > end.number()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          StreamOptions.STARTING_POSITION
              + " "
              + position
              + " is none of table "
              + table.name()
              + ", whose log ends at "
              + end);
    }
    return position;
  }

  private At next(At from, long rowsMax) {
    if (!isLookedAt) {
      table.now(from);
      isLookedAt = true;
    }
    return from.isInContents() ? moreFiles(from, rowsMax) : moreOfLog(from, rowsMax);
  }

  private At moreFiles(At from, long rowsMax) {
    Contents contents = Objects.requireNonNull(from.contents());
    List<FileScanTask> files = table.files(contents.snapshot());
    if (files.size() != contents.filesAll()) {
      throw new IcewalException(
          ErrorKind.CORRUPT,
          "snapshot "
              + contents.snapshot()
              + " of table "
              + table.name()
              + " has "
              + files.size()
              + " files, it had "
              + contents.filesAll());
    }
    int end = contents.files();
    long rows = 0;
    while (end < files.size()
        && (end == contents.files() || rows + files.get(end).file().recordCount() <= rowsMax)) {
      rows += files.get(end++).file().recordCount();
    }
    return new At(
        from.tableId(),
        from.position(),
        from.sequence(),
        new Contents(contents.snapshot(), end, files.size()));
  }

  private At moreOfLog(At from, long rowsMax) {
    long last = target == null ? Long.MAX_VALUE : target.number();
    Position after = from.position();
    if (after.equals(emptyFrom) && emptyTo != null) {
      after = emptyTo;
      if (target == null && !pause()) {
        return from;
      }
    }
    lastLook = System.nanoTime();
    while (after.number() < last) {
      Tail tail = table.read(after, last, rowsMax);
      if (StreamBatches.hasChanges(tail)) {
        // After the blocks were seen: the table is not older than any of them.
        long sequence = StreamedTable.sequence(table.now(from));
        batches.keep(from.position(), tail);
        return new At(from.tableId(), tail.end(), sequence, null);
      }
      boolean isEnd = tail.end().equals(after);
      after = tail.end();
      if (isEnd) {
        break;
      }
    }
    return withoutRows(from, after);
  }

  /// Waits until it is time to look again.
  ///
  /// @return false if the stream is being stopped
  private boolean pause() {
    long left = LOOK_NANOS - (System.nanoTime() - lastLook);
    while (left > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(left);
      left = LOOK_NANOS - (System.nanoTime() - lastLook);
    }
    return !Thread.currentThread().isInterrupted();
  }

  private At withoutRows(At from, Position to) {
    if (!from.position().equals(emptyFrom)) {
      emptyFrom = from.position();
      emptySince = System.nanoTime();
    }
    emptyTo = to;
    long segments = to.number() - from.position().number();
    boolean isFar =
        segments >= EMPTY_SEGMENTS
            || target != null
            || System.nanoTime() - emptySince >= EMPTY_NANOS;
    return segments > 0 && isFar ? new At(from.tableId(), to, from.sequence(), null) : from;
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start, Offset end) {
    At from = StreamOffset.parse(start.json()).at();
    At to = Objects.requireNonNull(StreamOffset.parse(end.json()).at(), "a batch has an end");
    Contents contents = to.contents();
    if (contents != null) {
      Contents before = from == null ? null : from.contents();
      int first = before == null ? 0 : before.files();
      List<FileScanTask> files = table.files(contents.snapshot());
      return batches.files(files.subList(first, contents.files()));
    }
    return from == null || from.position().number() >= to.position().number()
        ? new InputPartition[0]
        : batches.log(from.position(), to.position());
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return batches.readers();
  }

  @Override
  public void commit(Offset end) {}

  @Override
  public void stop() {}

  @Override
  public String toString() {
    return "icewal " + table.name();
  }
}
