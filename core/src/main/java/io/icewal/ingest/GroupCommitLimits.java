package io.icewal.ingest;

import java.time.Duration;

/// When pending batches become a segment.
///
/// @param flushBytes a flush is due at this many pending bytes
/// @param flushAge a flush is due this long after the last one began
/// @param segmentBytesMax bytes taken into one flush; what is beyond waits for the next
public record GroupCommitLimits(long flushBytes, Duration flushAge, long segmentBytesMax) {
  public GroupCommitLimits {
    if (flushBytes < 1 || segmentBytesMax < flushBytes || flushAge.isNegative()) {
      throw new IllegalArgumentException(
          "need 1 <= flushBytes <= segmentBytesMax and flushAge >= 0, got "
              + flushBytes
              + ", "
              + segmentBytesMax
              + ", "
              + flushAge);
    }
  }

  public static GroupCommitLimits defaults() {
    return new GroupCommitLimits(8L << 20, Duration.ofMillis(250), 64L << 20);
  }
}
