package io.icewal.ingest;

import org.jspecify.annotations.Nullable;

/// What the sender of a stream asks for.
///
/// @param mode what happens to a batch with bad rows
/// @param op what the rows mean
/// @param producer the sender's id for exactly-once, or null
public record StreamOptions(Mode mode, Op op, @Nullable String producer) {
  /// What happens to a batch with bad rows.
  public enum Mode {
    /// The whole batch is refused, with its verdicts.
    REJECT,
    /// The good rows are made durable, the verdicts name the others.
    PARTIAL
  }

  /// What the rows mean.
  public enum Op {
    /// Every row becomes the live row of its key.
    UPSERT,
    /// Every row names a key to delete. Only the key columns are looked at; others are ignored.
    DELETE,
    /// The `_op` column says it for each row: 0 or `upsert`, 1 or `delete`. The columns outside the
    /// key are ignored in deleting rows and stored as null.
    COLUMN
  }

  public static StreamOptions defaults() {
    return new StreamOptions(Mode.REJECT, Op.UPSERT, null);
  }
}
