package io.icewal.materialize;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// When a table is due for materialization. Pure.
///
/// Readers of icewal see the tail anyway, so a trickle is committed rarely; a long keyed tail makes
/// their scans dearer, so it is bounded in keys too.
///
/// @param bytes due at once with so many bytes waiting
/// @param keys due at once with so many rows of a keyed table waiting
/// @param age due at this age with at least `ageBytes` waiting
/// @param ageBytes see `age`
/// @param ageMax due at this age with anything waiting
/// @param interval least time between two cycles of a table
public record MaterializePolicy(
    long bytes, long keys, Duration age, long ageBytes, Duration ageMax, Duration interval) {
  public static final MaterializePolicy DEFAULT =
      new MaterializePolicy(
          64L << 20,
          200_000,
          Duration.ofSeconds(60),
          1L << 20,
          Duration.ofMinutes(10),
          Duration.ofSeconds(5));

  /// What waits in a table's tail.
  ///
  /// @param keys rows with a key, repeats of a key counted; 0 for an append-only table
  /// @param oldest ingest time of the oldest block; null if nothing waits
  /// @param flush whether a flush block waits
  public record Waiting(long bytes, long keys, @Nullable Instant oldest, boolean flush) {}

  /// When the table is due; empty if nothing waits.
  ///
  /// @param lastCycle when its last cycle ended; null if there was none
  public Optional<Instant> dueAt(Waiting waiting, @Nullable Instant lastCycle) {
    if (waiting.oldest() == null) {
      return Optional.empty();
    }
    Instant due = waiting.oldest().plus(delay(waiting));
    Instant earliest = lastCycle == null ? due : lastCycle.plus(interval);
    return Optional.of(due.isBefore(earliest) ? earliest : due);
  }

  private Duration delay(Waiting waiting) {
    if (waiting.flush() || waiting.bytes() >= bytes || waiting.keys() >= keys) {
      return Duration.ZERO;
    }
    return waiting.bytes() >= ageBytes ? age : ageMax;
  }
}
