package io.icewal.trino.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.TablePosition;
import io.icewal.tail.Cut;
import io.icewal.tail.Tail;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/// The tables of one transaction, each in the one cut that was made when it was first named: two
/// scans of a table in one query see the same. Thread-safe.
///
/// How a cut is made:
///
/// 1. trino-iceberg loads the table. Its transaction keeps that version, whatever happens later: p
///    is its position.
/// 2. Note the newest boundary b.
/// 3. Load the table again, now. It has the loaded version in its history, and the same key: else
///    the query must be started anew. Its position is still p, or b is at or below p: else the rows
///    between may be in neither the loaded version nor the log any more, and again the query must
///    be started anew.
/// 4. Read the tail after p; look at the boundary again. If it has moved, back to 2.
public final class Pins {
  /// Marks handles of a pinned version: a property of theirs that no table has.
  static final String MARK = "icewal.tail";

  private static final int CUTS_MAX = 8;

  private final Warehouse warehouse;
  private final StockServices stock;
  private final Map<SchemaTableName, Pin> pins = new HashMap<>();
  private final Map<SchemaTableName, InFiles> inFiles = new HashMap<>();

  public Pins(Warehouse warehouse, StockServices stock) {
    this.warehouse = warehouse;
    this.stock = stock;
  }

  /// Pins a table, or finds how it was pinned.
  ///
  /// @param stockHandle the table's current version, as trino-iceberg's transaction has it
  /// @param wanted how new the rows must be
  /// @return empty for a table that is not icewal's
  public synchronized Optional<Pin> pin(
      ConnectorSession session, IcebergTableHandle stockHandle, ReadWish wanted) {
    SchemaTableName name = stockHandle.getSchemaTableName();
    Pin pinned = pins.get(name);
    if (pinned != null) {
      return Optional.of(pinned);
    }
    String property = stockHandle.getStorageProperties().get(TablePosition.PROPERTY);
    if (property == null || stockHandle.getSnapshotId().isEmpty()) {
      return Optional.empty();
    }
    Pin made = make(session, stockHandle, TablePosition.parse(property), wanted);
    if (made != null) {
      pins.put(name, made);
    }
    return Optional.ofNullable(made);
  }

  private @Nullable Pin make(
      ConnectorSession session,
      IcebergTableHandle stockHandle,
      TablePosition position,
      ReadWish wanted) {
    Position atLeast = inLogOf(position.position(), wanted.atLeast());
    if (!wanted.fresh()) {
      Optional<Table> now = load(session, stockHandle, position);
      now.ifPresent(table -> checkReached(stockHandle, position.position(), atLeast));
      return now.map(table -> new Pin(warehouse, table, stockHandle, null)).orElse(null);
    }
    for (int i = 0; i < CUTS_MAX; i++) {
      Cut cut = warehouse.tails().begin(position.tableId());
      Optional<Table> loaded = load(session, stockHandle, position);
      if (loaded.isEmpty()) {
        return null;
      }
      Table now = loaded.get();
      TablePosition current = TablePosition.valid(now).orElseThrow();
      checkUsable(stockHandle, position, current, cut);
      Optional<Tail> tail = read(cut, position, current, atLeast);
      if (tail.isPresent()) {
        return pin(now, stockHandle, tail.get());
      }
    }
    throw new IcewalException(
        ErrorKind.UNAVAILABLE,
        "the boundary of the log moved during each of "
            + CUTS_MAX
            + " tries to read the tail of "
            + stockHandle.getSchemaTableName());
  }

  /// Step 3.
  ///
  /// @return empty for a table that is not icewal's any more, and was not when the query began
  private Optional<Table> load(
      ConnectorSession session, IcebergTableHandle handle, TablePosition position) {
    Table now = stock.load(session, handle.getSchemaTableName());
    if (!isLaterVersion(now, handle)) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "table "
              + handle.getSchemaTableName()
              + " was replaced, rolled back or made anew, or got another key, while the query was"
              + " being planned: run it again");
    }
    boolean own =
        TablePosition.valid(now)
            .map(TablePosition::tableId)
            .equals(Optional.of(position.tableId()));
    return own ? Optional.of(now) : Optional.empty();
  }

  private static boolean isLaterVersion(Table now, IcebergTableHandle handle) {
    Schema read = SchemaParser.fromJson(handle.getTableSchemaJson());
    return now.currentSnapshot() != null
        && SnapshotUtil.isAncestorOf(now, handle.getSnapshotId().orElseThrow())
        && now.schema().identifierFieldIds().equals(read.identifierFieldIds());
  }

  /// A wish for another log of the same root says nothing about this table.
  private static @Nullable Position inLogOf(Position position, @Nullable Position atLeast) {
    boolean otherLog =
        atLeast != null
            && atLeast.log().root().equals(position.log().root())
            && atLeast.log().log() != position.log().log();
    return otherLog ? null : atLeast;
  }

  private static Optional<Tail> read(
      Cut cut, TablePosition position, TablePosition current, @Nullable Position atLeast) {
    try {
      return cut.read(position.tableId(), position.position(), current.position(), atLeast);
    } catch (IcewalException e) {
      if (e.kind() == ErrorKind.CONFLICT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Pin pin(Table table, IcebergTableHandle handle, Tail tail) {
    Pin plain = new Pin(warehouse, table, handle, tail);
    return plain.hasTail()
        ? new Pin(warehouse, table, Handles.marked(handle, MARK, tail.end().toString()), tail)
        : plain;
  }

  /// The other half of step 3.
  private static void checkUsable(
      IcebergTableHandle handle, TablePosition before, TablePosition after, Cut cut) {
    boolean same = before.position().equals(after.position());
    boolean covered = cut.boundary().number() <= before.position().number();
    if (!same && !covered) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "table "
              + handle.getSchemaTableName()
              + " moved on from position "
              + before.position()
              + " to "
              + after.position()
              + " while the query was being planned: run it again");
    }
  }

  private static void checkReached(
      IcebergTableHandle handle, Position position, @Nullable Position atLeast) {
    if (atLeast != null
        && (!position.log().equals(atLeast.log()) || position.number() < atLeast.number())) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "table "
              + handle.getSchemaTableName()
              + " is materialized up to "
              + position
              + ", not yet up to "
              + atLeast);
    }
  }

  /// The pin that a handle was made from; empty if it reads a snapshot alone.
  public synchronized Optional<Pin> find(IcebergTableHandle handle) {
    return handle.getStorageProperties().containsKey(MARK)
        ? Optional.ofNullable(pins.get(handle.getSchemaTableName()))
        : Optional.empty();
  }

  /// From now on a table is read in a later version that has no tail: what the pin read of the log
  /// is in its files.
  public synchronized void readInFiles(InFiles version) {
    inFiles.put(version.handle().getSchemaTableName(), version);
  }

  /// The later version that a table is read in, if there is one.
  synchronized Optional<InFiles> inFiles(SchemaTableName name) {
    return Optional.ofNullable(inFiles.get(name));
  }

  /// How the table of that name was pinned, if it was.
  public synchronized Optional<Pin> find(SchemaTableName name) {
    return Optional.ofNullable(pins.get(name));
  }
}
