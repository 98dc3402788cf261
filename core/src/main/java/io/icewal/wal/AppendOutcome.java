package io.icewal.wal;

import io.icewal.model.IcewalException;
import io.icewal.model.Position;

/// What became of one batch.
public sealed interface AppendOutcome {
  /// It is durable, in the log's order.
  ///
  /// @param position the position of its segment
  /// @param block the index of its block in that segment
  /// @param firstRow where its rows begin in that block
  record Appended(Position position, int block, long firstRow) implements AppendOutcome {}

  /// Its (table, producer, sequence) was in the log already, or in an earlier batch of the same
  /// group: a success. It is not stored again.
  ///
  /// @param knownEnd a position at which the batch is certainly in
  record Repeat(Position knownEnd) implements AppendOutcome {}

  /// It was not stored and will not be. INVALID: its sequence is no longer remembered. UNKNOWN: it
  /// may have been stored before, so long ago that the log has forgotten it.
  record Refused(IcewalException error) implements AppendOutcome {}

  /// It may be stored, or come to be stored: send the same sequence again, or look.
  record Unknown(IcewalException error) implements AppendOutcome {}
}
