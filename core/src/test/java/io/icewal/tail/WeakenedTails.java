package io.icewal.tail;

import io.icewal.model.LogName;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import java.util.function.Function;

/// Tails read with one step of the cut protocol left out or misplaced, for tests which show that
/// the step matters. Names are those of the checked model's broken variants.
public final class WeakenedTails {
  private WeakenedTails() {}

  public static TailReader reader(
      LogRoot root,
      Function<LogName, LogReader> readers,
      TailLimits limits,
      Pause pause,
      String rule) {
    if (!rule.equals("b12")) {
      throw new IllegalArgumentException("no rule " + rule);
    }
    return new TailReader(root, readers, limits, pause, CutOrder.TABLE_FIRST);
  }
}
