package io.icewal.tail;

import java.time.Duration;

/// Bounds of reading tails.
///
/// @param startsMax how often one read starts over before it gives up: trim rounds are minutes
///   apart, so more than a few in a row means that the reader is far too slow
/// @param pause between two looks for a position that the log has not reached
/// @param pausesMax how many such pauses before the read fails
/// @param keyCacheBytesMax encoded keys of checked blocks that are kept for the next read; as much
///   again is kept of indexes of tails
public record TailLimits(int startsMax, Duration pause, int pausesMax, long keyCacheBytesMax) {
  public static final TailLimits DEFAULTS =
      new TailLimits(8, Duration.ofMillis(50), 200, 64L << 20);

  public TailLimits {
    if (startsMax < 1 || pause.isNegative() || pausesMax < 0 || keyCacheBytesMax < 0) {
      throw new IllegalArgumentException(
          "bad tail limits: "
              + startsMax
              + ", "
              + pause
              + ", "
              + pausesMax
              + ", "
              + keyCacheBytesMax);
    }
  }
}
