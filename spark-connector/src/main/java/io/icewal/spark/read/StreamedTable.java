package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.read.FreshCut;
import io.icewal.spark.read.StreamOffset.Seen;
import io.icewal.spark.services.Warehouse;
import io.icewal.table.TablePosition;
import io.icewal.tail.Follower;
import io.icewal.tail.Tail;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.jspecify.annotations.Nullable;

/// A table as a stream reads it: looked at again and again, and always the same one, in the same
/// columns. Used by one thread.
final class StreamedTable {
  private final String name;
  private final BaseTable loaded;
  private final TableOperations operations;
  private final Warehouse warehouse;
  private final Follower follower;
  private @Nullable StreamContents contents;

  /// @param loaded as it was when Spark analysed the query
  /// @param operations follow the catalog
  StreamedTable(String name, BaseTable loaded, TableOperations operations, Warehouse warehouse) {
    this.name = name;
    this.loaded = loaded;
    this.operations = operations;
    this.warehouse = warehouse;
    this.follower = new Follower(warehouse.tails());
  }

  String name() {
    return name;
  }

  /// The table in the columns that the stream has.
  BaseTable loaded() {
    return loaded;
  }

  Warehouse warehouse() {
    return warehouse;
  }

  /// The table's newest version.
  ///
  /// @throws IcewalException CONFLICT if it is gone or another one, or has other columns
  BaseTable now() {
    BaseTable now;
    try {
      now = Pin.now(loaded.name(), operations);
    } catch (NoSuchTableException e) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "there is no table "
              + name
              + " any more: if it was renamed, start the stream again by its new name, it goes on"
              + " where it was",
          e);
    }
    if (!now.uuid().equals(loaded.uuid())) {
      throw replaced("its UUID is " + now.uuid() + ", it was " + loaded.uuid(), null);
    }
    String why = TablePosition.whyReplaced(now);
    if (why != null) {
      throw replaced(why, null);
    }
    if (!now.schema().sameSchema(loaded.schema())) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "the columns of table "
              + name
              + " were changed: start the stream again, it goes on where it was. They were "
              + loaded.schema()
              + ", they are "
              + now.schema());
    }
    return now;
  }

  /// [#now], if it is the table that a stream has begun to read.
  BaseTable now(StreamOffset.At begun) {
    BaseTable now = now();
    if (!now.uuid().equals(begun.tableId())) {
      throw replaced("its UUID is " + now.uuid() + ", it was " + begun.tableId(), null);
    }
    Optional<Snapshot> beginning = TablePosition.beginning(now);
    if (beginning.isPresent() && beginning.get().snapshotId() != begun.seen().beginning()) {
      throw replaced(
          "its history begins with snapshot "
              + beginning.get().snapshotId()
              + " of sequence number "
              + beginning.get().sequenceNumber()
              + "; the stream has seen it at "
              + begun.seen().sequence()
              + (begun.seen().beginning() == Seen.EXPIRED
                  ? ", when its beginning had expired"
                  : ", beginning with snapshot " + begun.seen().beginning()),
          null);
    }
    return now;
  }

  private IcewalException replaced(String why, @Nullable Throwable cause) {
    return new IcewalException(
        ErrorKind.CONFLICT,
        "table "
            + name
            + " is not the one any more that the stream has read ("
            + why
            + "): start the stream anew, with another checkpoint",
        cause);
  }

  Position position(BaseTable table) {
    return TablePosition.valid(table).orElseThrow().position();
  }

  static Seen seen(BaseTable table) {
    return new Seen(
        table.operations().current().lastSequenceNumber(),
        TablePosition.beginning(table).map(Snapshot::snapshotId).orElse(Seen.EXPIRED));
  }

  UUID id() {
    return loaded.uuid();
  }

  /// What the table has now, as a query would see it.
  StreamContents contents() {
    Pin pin = Pin.make(id(), name, operations, warehouse);
    now();
    contents = StreamContents.of(pin, pin.table().currentSnapshot().snapshotId());
    return contents;
  }

  /// What the table had when the stream began.
  ///
  /// @throws IcewalException INVALID if its snapshot has expired, or its tail is gone
  StreamContents contents(StreamOffset.At at, StreamOffset.Contents part) {
    StreamContents known = contents;
    if (known == null || !known.isOf(part.snapshot(), part.from(), at.position())) {
      BaseTable now = now(at);
      if (now.snapshot(part.snapshot()) == null) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "snapshot "
                + part.snapshot()
                + " of table "
                + name
                + ", whose contents the stream began with, has expired before they were read: start"
                + " the stream anew, with another checkpoint");
      }
      Pin pin = Pin.of(warehouse, now, range(part.from(), at.position()));
      known = StreamContents.of(pin, part.snapshot());
      contents = known;
    }
    return known;
  }

  /// What comes after a position.
  ///
  /// @param last at most up to this number
  Tail read(Position after, long last, long rowsMax) {
    return follower.read(id(), after, () -> position(now()), last, rowsMax);
  }

  /// What was read before.
  Tail range(Position after, Position end) {
    return follower.range(id(), after, end, () -> position(now()));
  }

  /// The end of its log.
  Position end() {
    return follower.end(id());
  }

  FreshCut cut(Tail tail) {
    return FreshCut.of(loaded.schema(), loaded.specs(), tail, warehouse.allocator());
  }
}
