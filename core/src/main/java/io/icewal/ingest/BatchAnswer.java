package io.icewal.ingest;

import io.icewal.model.Position;
import io.icewal.model.Verdict;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The answer on one batch.
///
/// @param status see [Status]
/// @param rows how many of the batch's rows are durable
/// @param position where: every read at or after it sees them; null when nothing was written
/// @param verdicts the bad rows in ascending order, up to a limit
/// @param more how many verdicts beyond these were found
public record BatchAnswer(
    Status status, long rows, @Nullable Position position, List<Verdict> verdicts, long more) {
  /// What became of the batch.
  public enum Status {
    /// Every row is durable.
    OK,
    /// The good rows are durable, the verdicts name the others.
    PARTIAL,
    /// No row was taken.
    REJECTED
  }

  public BatchAnswer {
    verdicts = List.copyOf(verdicts);
  }
}
