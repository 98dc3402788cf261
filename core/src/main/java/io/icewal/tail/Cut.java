package io.icewal.tail;

import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.wal.Boundary;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A boundary that was noted before a table was loaded. Good for one read.
public final class Cut {
  public LogName log() {
    throw new UnsupportedOperationException();
  }

  /// The noted boundary.
  public Boundary boundary() {
    throw new UnsupportedOperationException();
  }

  /// Steps 3 and 4 for a table that was loaded after this cut began.
  ///
  /// @param atLeast the tail must reach this position: waits for it, within a bound
  /// @return empty: start over, from [TailReader#begin]
  public Optional<Tail> read(UUID tableId, Position from, @Nullable Position atLeast) {
    throw new UnsupportedOperationException();
  }
}
