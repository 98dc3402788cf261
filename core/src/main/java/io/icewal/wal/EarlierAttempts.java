package io.icewal.wal;

import java.time.Instant;

/// What is known of a group that may have been appended before, by a process that did not live to
/// see it.
///
/// @param since none was appended before that, by the store's clock
/// @param ifForgotten what becomes of the group if the log does not know it, but may have forgotten
///   it since
/// @param advice ends the message of a refusal
public record EarlierAttempts(Instant since, IfForgotten ifForgotten, String advice) {
  /// What to do with a group of which the log cannot tell whether it has it.
  public enum IfForgotten {
    /// Fails.
    REFUSE,
    /// Somebody has looked: it has not.
    APPEND,
    /// Somebody has looked: it has.
    SKIP
  }
}
