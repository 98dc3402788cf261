package io.icewal.tail;

import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads tails. One for a process; thread-safe.
public final class TailReader {
  /// @param readers gives the reader of a log
  public TailReader(
      LogRoot root, Function<LogName, LogReader> readers, TailLimits limits, Pause pause) {
    throw new UnsupportedOperationException();
  }

  /// Step 1 for a table of which only the UUID is known: notes the newest boundary of its log. Load
  /// the table after this.
  public Cut begin(UUID tableId) {
    throw new UnsupportedOperationException();
  }

  /// All four steps, repeated when the boundary moved between them.
  ///
  /// @param tableId the table as far as is known: if another is loaded, it is read
  /// @param load loads the table now, without any cache; called once for every start
  /// @param atLeast the tail must reach this position; null for whatever is there
  /// @throws IcewalException UNAVAILABLE if the boundary kept moving or `atLeast` was not reached
  ///   in time; INVALID for a position of another log; CORRUPT for a damaged log
  public <T> TailOf<T> read(UUID tableId, Supplier<TableAt<T>> load, @Nullable Position atLeast) {
    throw new UnsupportedOperationException();
  }
}
