package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.spark.read.StreamOffset.At;
import io.icewal.spark.read.StreamOffset.Contents;
import io.icewal.tail.Tail;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.iceberg.BaseTable;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.jspecify.annotations.Nullable;

/// A table as a stream: the contents of one cut, then the log from the end of that cut on.
/// Thread-safe: one thread looks for batches, but they may be planned by others, where a query
/// joins.
///
/// A batch is either of the contents or of the log, where it has the newest row of each key that
/// was written between two positions: rows of a batch come in no order.
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
  public synchronized void prepareForTriggerAvailableNow() {
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
  public synchronized Offset latestOffset(Offset start, ReadLimit limit) {
    long rowsMax = limit instanceof ReadMaxRows rows ? rows.maxRows() : Long.MAX_VALUE;
    At from = StreamOffset.parse(start.json()).at();
    At next = from == null ? first(rowsMax) : next(from, rowsMax);
    return next.equals(from) ? start : StreamOffset.at(next);
  }

  /// The first batch: its end tells for ever where the stream has begun.
  private At first(long rowsMax) {
    BaseTable now = table.now();
    isLookedAt = true;
    StreamOffset.Seen seen = StreamedTable.seen(now);
    if (!options.start().equals(StreamOptions.EARLIEST)) {
      return new At(table.id(), startingPosition(), seen, null);
    }
    StreamContents contents = table.contents();
    At none =
        new At(
            table.id(),
            contents.end(),
            StreamedTable.seen(contents.table()),
            new Contents(contents.snapshot(), contents.from(), 0, contents.parts()));
    return moreContents(none, rowsMax);
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
    return from.isInContents() ? moreContents(from, rowsMax) : moreOfLog(from, rowsMax);
  }

  private At moreContents(At from, long rowsMax) {
    Contents read = Objects.requireNonNull(from.contents());
    StreamContents contents = contents(from, read);
    int end = read.parts();
    long rows = 0;
    while (end < read.partsAll() && (end == read.parts() || rows + contents.rows(end) <= rowsMax)) {
      rows += contents.rows(end++);
    }
    return new At(
        from.tableId(),
        from.position(),
        from.seen(),
        new Contents(read.snapshot(), read.from(), end, read.partsAll()));
  }

  private StreamContents contents(At at, Contents read) {
    StreamContents contents = table.contents(at, read);
    if (contents.parts() != read.partsAll()) {
      throw new IcewalException(
          ErrorKind.CORRUPT,
          "snapshot "
              + read.snapshot()
              + " of table "
              + table.name()
              + " has "
              + (contents.parts() - 1)
              + " files, it had "
              + (read.partsAll() - 1));
    }
    return contents;
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
        StreamOffset.Seen seen = StreamedTable.seen(table.now(from));
        batches.keep(from.position(), tail);
        return new At(from.tableId(), tail.end(), seen, null);
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
    return segments > 0 && isFar ? new At(from.tableId(), to, from.seen(), null) : from;
  }

  @Override
  public synchronized InputPartition[] planInputPartitions(Offset start, Offset end) {
    At from = StreamOffset.parse(start.json()).at();
    At to = Objects.requireNonNull(StreamOffset.parse(end.json()).at(), "a batch has an end");
    if (!isLookedAt) {
      // A batch that is done again after a restart.
      table.now(to);
      isLookedAt = true;
    }
    Contents contents = to.contents();
    if (contents != null) {
      Contents before = from == null ? null : from.contents();
      int first = before == null ? 0 : before.parts();
      return contents(to, contents)
          .partitions(first, contents.parts())
          .toArray(InputPartition[]::new);
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
