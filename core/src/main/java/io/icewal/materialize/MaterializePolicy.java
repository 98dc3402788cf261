package io.icewal.materialize;

import io.icewal.model.BlockKind;
import io.icewal.tail.Tail;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// When a table is due for materialization. Pure.
///
/// Readers of icewal see the tail anyway, so a trickle is committed rarely; a long keyed tail makes
/// their scans dearer, so it is bounded in rows too.
///
/// @param bytes due at once with so many bytes waiting
/// @param rows due at once with so many rows waiting
/// @param age due at this age with at least `ageBytes` waiting
/// @param ageBytes see `age`
/// @param ageMax due at this age with anything waiting
/// @param interval least time between two cycles of a table
public record MaterializePolicy(
    long bytes, long rows, Duration age, long ageBytes, Duration ageMax, Duration interval) {
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
  /// @param oldest ingest time of the oldest block; null if nothing waits
  /// @param flush whether a flush block waits
  public record Waiting(long bytes, long rows, @Nullable Instant oldest, boolean flush) {
    public static Waiting of(Tail tail) {
      boolean flush =
          tail.blocks().stream().anyMatch(block -> block.header().kind() == BlockKind.FLUSH);
      return new Waiting(tail.bytes(), tail.rows(), tail.oldest().orElse(null), flush);
    }
  }

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

  /// Whether the table is due now.
  public boolean isDue(Waiting waiting, @Nullable Instant lastCycle, Instant now) {
    return dueAt(waiting, lastCycle).map(due -> !due.isAfter(now)).orElse(false);
  }

  private Duration delay(Waiting waiting) {
    if (waiting.flush() || waiting.bytes() >= bytes || waiting.rows() >= rows) {
      return Duration.ZERO;
    }
    return waiting.bytes() >= ageBytes ? age : ageMax;
  }
}
