package io.icewal.tail;

/// What a read does about ghosts: objects that land late on slots that were trimmed. Everything but
/// [#FULL] is wrong, each in its own way, and exists so that tests can show what the rule is for.
enum GhostRule {
  /// A look at the boundary after the reading; beyond the first slot that was looked at: start
  /// over.
  FULL,
  /// No look.
  NO_LOOK,
  /// The table is loaded before the boundary is noted.
  TABLE_FIRST,
  /// The look is left out when no segment was read: the absent slot is not counted as looked at.
  READ_SLOTS_ONLY,
  /// A segment whose writer's sequence the newest summary knows counts although it was trimmed.
  SUMMARY_KNOWS
}
