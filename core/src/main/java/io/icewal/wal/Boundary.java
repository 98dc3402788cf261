package io.icewal.wal;

/// A trim mark: segments up to and including [#number] are trimmed; what they held is materialized,
/// parked, or known from the summary.
///
/// @param k the round that made it; 0 if the log was never trimmed
/// @param number the last trimmed segment; 0 if there is none
/// @param summaryKey the summary's key below the log root; empty if k is 0
public record Boundary(long k, long number, String summaryKey) {
  /// Before the first round.
  public static final Boundary NONE = new Boundary(0, 0, "");

  public Boundary {
    if (k < 0 || number < k || (k == 0) != summaryKey.isEmpty()) {
      throw new IllegalArgumentException(
          "bad boundary: round " + k + ", number " + number + ", summary '" + summaryKey + "'");
    }
  }
}
