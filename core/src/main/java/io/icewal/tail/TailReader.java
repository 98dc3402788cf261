package io.icewal.tail;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads tails. One for a process, whose caches it holds; thread-safe.
public final class TailReader {
  private final LogRoot root;
  private final Function<LogName, LogReader> readers;
  private final TailLimits limits;
  private final Pause pause;
  private final CutOrder order;
  private final KeyCache keys;
  private final IndexCache indexes;

  /// @param readers gives the reader of a log, the same one at each call
  public TailReader(
      LogRoot root, Function<LogName, LogReader> readers, TailLimits limits, Pause pause) {
    this(root, readers, limits, pause, CutOrder.BOUNDARY_FIRST);
  }

  TailReader(
      LogRoot root,
      Function<LogName, LogReader> readers,
      TailLimits limits,
      Pause pause,
      CutOrder order) {
    this.root = root;
    this.readers = readers;
    this.limits = limits;
    this.pause = pause;
    this.order = order;
    this.keys = new KeyCache(limits.keyCacheBytesMax());
    this.indexes = new IndexCache(limits.keyCacheBytesMax());
  }

  /// Step 1 for a table of which only the UUID is known: notes the newest boundary of its log. Load
  /// the table after this.
  public Cut begin(UUID tableId) {
    LogReader reader = readers.apply(root.logOf(tableId));
    return new Cut(this, reader, reader.newestBoundary());
  }

  /// All four steps, repeated when the boundary moved between them, and when the tail holds rows of
  /// a schema that came after the table was loaded: who took these rows by the older schema would
  /// lose the new columns.
  ///
  /// @param tableId the table as far as is known: if another one is loaded, that one is read
  /// @param load loads the table now, without any cache; called once for every start
  /// @param atLeast the tail must reach this position; null for whatever is there
  /// @throws IcewalException UNAVAILABLE if the boundary kept moving or `atLeast` was not reached
  ///   in time; INVALID for a position of another log; CORRUPT for a damaged log
  public <T> TailOf<T> read(UUID tableId, Supplier<TableAt<T>> load, @Nullable Position atLeast) {
    UUID expected = tableId;
    Tail read = null;
    for (int start = 0; start < limits.startsMax(); start++) {
      TableAt<T> early = order == CutOrder.TABLE_FIRST ? load.get() : null;
      Cut cut = begin(expected);
      TableAt<T> table = early != null ? early : load.get();
      expected = table.tableId();
      if (!cut.log().equals(root.logOf(expected))) {
        continue;
      }
      if (table.position() == null) {
        return new TailOf<>(table, null);
      }
      Optional<Tail> tail = readOnce(cut, table, atLeast);
      if (tail.isPresent() && !isNewer(tail.get(), table, read)) {
        return new TailOf<>(table, tail.get());
      }
      read = tail.orElse(read);
    }
    throw new IcewalException(
        ErrorKind.UNAVAILABLE,
        "the boundary of log "
            + root.logOf(expected)
            + ", or the table's schema, moved during each of "
            + limits.startsMax()
            + " tries to read the tail of table "
            + expected);
  }

  /// Whether a block has rows of a schema that the table did not have when it was loaded.
  ///
  /// @param before a tail that was read before the table was loaded: its blocks are no newer, even
  ///   if their schema is gone since
  private static boolean isNewer(Tail tail, TableAt<?> table, @Nullable Tail before) {
    long known =
        before != null && before.tableId().equals(tail.tableId()) ? before.end().number() : 0;
    return tail.blocks().stream()
        .anyMatch(block -> block.number() > known && table.isOlderThan(block.header()));
  }

  private <T> Optional<Tail> readOnce(Cut cut, TableAt<T> table, @Nullable Position atLeast) {
    Position position = table.position();
    if (position == null) {
      throw new IllegalStateException("table without position");
    }
    try {
      return cut.read(table.tableId(), position, atLeast);
    } catch (IcewalException e) {
      if (e.kind() == ErrorKind.CONFLICT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  LogRoot root() {
    return root;
  }

  TailLimits limits() {
    return limits;
  }

  Pause pause() {
    return pause;
  }

  KeyCache keys() {
    return keys;
  }

  IndexCache indexes() {
    return indexes;
  }
}
