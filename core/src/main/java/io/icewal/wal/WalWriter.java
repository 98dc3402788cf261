package io.icewal.wal;

import io.icewal.model.LogName;
import io.icewal.model.Position;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Appends to one log: one thread, one PUT in flight.
public final class WalWriter {
  public WalWriter(
      LogRoot root,
      LogName log,
      RandomGenerator random,
      InstantSource clock,
      @Nullable String flightAddress,
      WriterLimits limits) {}

  public WalWriter(
      LogRoot root,
      LogName log,
      RandomGenerator random,
      InstantSource clock,
      @Nullable String flightAddress,
      WriterLimits limits,
      Executor executor,
      Pause pause) {}

  /// Appends a group of batches in one segment.
  ///
  /// @return one outcome per batch, in their order
  /// @throws IcewalException UNAVAILABLE if nothing of the group can have been stored; CORRUPT if
  ///   the log is damaged (nothing was stored then either)
  public List<AppendOutcome> append(List<AppendBatch> batches) {
    throw new UnsupportedOperationException();
  }

  /// The last known end of the log.
  public Position end() {
    throw new UnsupportedOperationException();
  }
}
