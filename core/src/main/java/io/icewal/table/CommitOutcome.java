package io.icewal.table;

/// What became of one attempt to commit.
public sealed interface CommitOutcome {
  /// Rows and position are in the table.
  ///
  /// @param snapshotId the snapshot that this attempt made
  record Committed(long snapshotId, TablePosition position) implements CommitOutcome {}

  /// The position is no longer the expected one, or the table was replaced: the cycle is void.
  ///
  /// @param sent whether a commit was sent, so that its files must not be deleted
  record Moved(String reason, boolean sent) implements CommitOutcome {}

  /// The position is still the expected one, but the snapshot changed: find the old rows again and
  /// try again. Data files can be used again.
  ///
  /// @param sent whether a commit was sent, so that its files must not be deleted
  record Conflict(String reason, boolean sent) implements CommitOutcome {}
}
