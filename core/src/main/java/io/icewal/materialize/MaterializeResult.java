package io.icewal.materialize;

import io.icewal.model.Position;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What one step did.
///
/// @param status what happened
/// @param tableId the table that was loaded under the name: positions are its own
/// @param rows rows of the log that went into the table, repeats of a key counted
/// @param position the table's position after the step; null if it has none
/// @param more whether the tail had more than one cycle takes
/// @param detail for people
public record MaterializeResult(
    Status status,
    UUID tableId,
    long rows,
    @Nullable Position position,
    boolean more,
    String detail) {
  /// What happened.
  public enum Status {
    /// The tail was empty.
    NOTHING_TO_DO,
    /// A cycle was committed.
    COMMITTED,
    /// Somebody else moved the table on: step again.
    CONFLICT,
    /// The table has no valid position: it was replaced, or is not icewal's. Its tail waits.
    REPLACED
  }
}
