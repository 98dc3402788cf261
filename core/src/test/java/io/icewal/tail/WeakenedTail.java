package io.icewal.tail;

import io.icewal.model.LogName;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import java.util.function.Function;

/// Tail readers that break a rule, for simulations. The rules of the look after are broken in the
/// log reader that is passed in (`wal.WeakenedWal`).
public final class WeakenedTail {
  private WeakenedTail() {}

  /// Loads the table before it notes the boundary (b12).
  public static TailReader tableFirst(
      LogRoot root, Function<LogName, LogReader> readers, TailLimits limits, Pause pause) {
    return new TailReader(root, readers, limits, pause, CutOrder.TABLE_FIRST);
  }
}
