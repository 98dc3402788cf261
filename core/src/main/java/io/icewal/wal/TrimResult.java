package io.icewal.wal;

import io.icewal.model.IcewalException;
import java.util.List;

/// What a trim round did.
///
/// @param outcome how it ended
/// @param boundary the newest boundary known after it
/// @param parked blocks that were newly parked
/// @param dropped blocks that were given up
/// @param alarms tables whose position is lower than the last summary remembers: their blocks stay
public record TrimResult(
    Outcome outcome,
    Boundary boundary,
    List<BlockRef> parked,
    List<BlockRef> dropped,
    List<IcewalException> alarms) {
  public TrimResult {
    parked = List.copyOf(parked);
    dropped = List.copyOf(dropped);
    alarms = List.copyOf(alarms);
  }

  /// How a round ended.
  public enum Outcome {
    /// Nothing could be trimmed.
    NOTHING,
    /// The boundary moved.
    TRIMMED,
    /// Another trimmer moved the boundary meanwhile: nothing was done.
    OVERTAKEN,
    /// The boundary may have moved, or may move later: the next round sees.
    UNKNOWN
  }
}
