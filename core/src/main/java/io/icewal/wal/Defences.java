package io.icewal.wal;

import java.util.EnumSet;
import java.util.Set;

/// The rules of the protocol that are in force. All of them are, always: the product has no way to
/// leave one out. Tests do, to show that each one matters.
final class Defences {
  static final Defences ALL = new Defences(Set.of());

  /// One rule of the log's protocol.
  enum Rule {
    /// A writer looks at the boundary before it acknowledges.
    LOOK_BEFORE_ACK,
    /// A slot at or below the boundary is void only if the summary says so.
    SUMMARY_DECIDES_VOID,
    /// A slot that another writer has counts only after a look at the boundary.
    LOOK_AFTER_LOST_SLOT,
    /// Footers count only after a look at the boundary.
    LOOK_AFTER_FOOTERS,
    /// Repeats are answered only after that look.
    LOOK_BEFORE_REPEAT,
    /// Bytes are built and put only after that look.
    LOOK_BEFORE_PUT,
    /// Readers and materializers look at the boundary after they have read.
    LOOK_AFTER_READING,
    /// A writer never moves on while an attempt is unknown.
    STAY_WHILE_UNKNOWN,
    /// Nothing is deleted before the boundary that makes it superfluous.
    BOUNDARY_BEFORE_DELETE,
    /// No boundary before its summary.
    SUMMARY_BEFORE_BOUNDARY,
    /// A segment that the summary's writer sequences cover is not thereby valid, to a writer.
    SEQUENCES_NEVER_VOUCH_TO_WRITERS,
    /// The same to readers and materializers.
    SEQUENCES_NEVER_VOUCH_TO_READERS,
    /// An absent slot is looked at like a present one.
    ABSENCE_IS_LOOKED_AT,
    /// A writer that starts again has another id.
    NEW_ID_AFTER_RESTART,
    /// A writer that the summary does not know gets no verdict from it.
    FORGOTTEN_IS_NOT_VOID
  }

  private final Set<Rule> missing;

  private Defences(Set<Rule> missing) {
    this.missing = missing;
  }

  static Defences without(Rule rule) {
    return new Defences(EnumSet.of(rule));
  }

  boolean has(Rule rule) {
    return !missing.contains(rule);
  }

  boolean lacks(Rule rule) {
    return missing.contains(rule);
  }
}
