package io.icewal.runner;

import io.icewal.materialize.MaterializePolicy.Waiting;
import io.icewal.model.LogName;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// One immutable look at the logs and at what this loop remembers.
///
/// @param now when
/// @param tables the tables with anything waiting
/// @param logs all logs
record Observation(Instant now, List<TableSeen> tables, List<LogSeen> logs) {
  Observation {
    tables = List.copyOf(tables);
    logs = List.copyOf(logs);
  }

  /// A table that has something waiting.
  ///
  /// @param waiting what waits
  /// @param oldest when the oldest of it was ingested
  /// @param lastCycle when this loop last materialized it; null if never
  /// @param notBefore no cycle before this, after a failure; null if the last one went well
  record TableSeen(
      UUID tableId,
      Waiting waiting,
      Instant oldest,
      @Nullable Instant lastCycle,
      @Nullable Instant notBefore) {}

  /// How a log stands.
  ///
  /// @param trimmable segments above the boundary that a round could trim
  /// @param lastTrim when this loop last did a round, or began
  /// @param lastClean when it last deleted what lies below, or began
  /// @param trimmed whether there is anything below the boundary
  record LogSeen(
      LogName log, long trimmable, Instant lastTrim, Instant lastClean, boolean trimmed) {}
}
