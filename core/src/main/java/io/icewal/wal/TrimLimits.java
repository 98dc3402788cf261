package io.icewal.wal;

import java.time.Duration;

/// Bounds and ages of trimming.
///
/// @param grace how long what a boundary made superfluous is kept, for the comfort of readers that
///   run; correctness needs none
/// @param segmentsDue a round is due when so many segments lie above the boundary
/// @param ageDue a round is due when the last is so old
/// @param holdBackMax more segments than this held back by one table's blocks: the table is to be
///   parked
/// @param summariesKept so many of the newest summaries outlive the grace
/// @param producerIdle producers and writers that were not seen for so long are forgotten
/// @param parkedObjectBytesMax a parked object is closed at this size
public record TrimLimits(
    Duration grace,
    int segmentsDue,
    Duration ageDue,
    int holdBackMax,
    int summariesKept,
    Duration producerIdle,
    int parkedObjectBytesMax) {
  public static final TrimLimits DEFAULTS =
      new TrimLimits(
          Duration.ofHours(1),
          256,
          Duration.ofMinutes(10),
          4096,
          4,
          Duration.ofHours(24),
          32 << 20);

  public TrimLimits {
    if (grace.isNegative()
        || segmentsDue < 1
        || ageDue.isNegative()
        || holdBackMax < 1
        || summariesKept < 1
        || producerIdle.isNegative()
        || parkedObjectBytesMax < 1) {
      throw new IllegalArgumentException("bad trim limits");
    }
  }

  /// Whether a round should come now: soon after materialization, so that what a cold reader or
  /// writer has to look through stays short.
  ///
  /// @param segments segments above the newest boundary that could be trimmed
  /// @param sinceLast time since the last round of whoever asks
  public boolean isDue(long segments, Duration sinceLast) {
    return segments >= segmentsDue || (segments > 0 && sinceLast.compareTo(ageDue) >= 0);
  }
}
