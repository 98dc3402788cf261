package io.icewal.runner;

import io.icewal.model.LogName;
import java.util.UUID;

/// One thing to do.
sealed interface Action {
  /// One materialization cycle of a table.
  record Materialize(UUID tableId) implements Action {}

  /// One trim round of a log.
  record Trim(LogName log) implements Action {}

  /// Delete what lies below a log's boundary.
  record Clean(LogName log) implements Action {}
}
