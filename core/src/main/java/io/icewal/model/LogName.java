package io.icewal.model;

import java.util.UUID;

/// One log under a log root.
///
/// @param root the root's UUID, from `log.json`
/// @param generation from 1; format v1 knows generation 1 only
/// @param log from 0 to the root's number of logs less one
public record LogName(UUID root, int generation, int log) {
  public LogName {
    if (generation < 1 || log < 0) {
      throw new IllegalArgumentException(
          "generation must be >= 1 and log >= 0, got " + generation + " and " + log);
    }
  }

  /// The position of the segment with the given number in this log.
  public Position at(long number) {
    return new Position(this, number);
  }

  @Override
  public String toString() {
    return root + "/" + generation + "/" + log;
  }
}
