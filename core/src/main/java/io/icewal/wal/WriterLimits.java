package io.icewal.wal;

import java.time.Duration;

/// Bounds of a [WalWriter].
///
/// @param unknownDeadline how long an attempt may stay unknown, and a group unwritten, before the
///   writer gives up on it
/// @param retryPause the pause before the first retry; it doubles with each
/// @param retryPauseMax the longest pause between retries
/// @param groupRawBytesMax rows of one group, in Arrow bytes; more is a programmer's error
public record WriterLimits(
    Duration unknownDeadline, Duration retryPause, Duration retryPauseMax, long groupRawBytesMax) {
  /// 30 s outlive a store's usual hiccups and stay below the time-outs of clients. 512 MiB of rows
  /// is far above what a group commit collects; larger writes are staged.
  public static final WriterLimits DEFAULTS =
      new WriterLimits(
          Duration.ofSeconds(30), Duration.ofMillis(20), Duration.ofSeconds(1), 512L << 20);

  public WriterLimits {
    if (unknownDeadline.isNegative()
        || retryPause.isNegative()
        || retryPauseMax.compareTo(retryPause) < 0
        || groupRawBytesMax < 1) {
      throw new IllegalArgumentException(
          "bad writer limits: "
              + unknownDeadline
              + ", "
              + retryPause
              + ", "
              + retryPauseMax
              + ", "
              + groupRawBytesMax);
    }
  }
}
