package io.icewal.runner;

import java.util.UUID;

/// Runs one bounded materialization cycle of one table. Implementations: [MaterializerCycle], and a
/// fake in the loop's tests.
interface TableCycle {
  /// How a cycle ended, if it did not throw.
  enum Outcome {
    /// The table has everything up to the position. If it has less than is waiting, another runner
    /// was faster: the next cycle comes in its time.
    DONE,
    /// The table has everything up to the position, and there is more than one cycle takes: the
    /// next one may come at once.
    MORE,
    /// There is no such table any more.
    GONE,
    /// The table was replaced, or is not icewal's: its rows must not go in until it is adopted. Or
    /// it was not found, though it may be there.
    UNFIT
  }

  /// @param position number of the last segment that the table has; 0 where there is none
  /// @param rows rows that were committed
  /// @param message for GONE and UNFIT, what is wrong
  record Result(Outcome outcome, long position, long rows, String message) {}

  /// @param lastName the table's last known name
  Result run(UUID tableId, String lastName);
}
