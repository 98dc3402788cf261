package io.icewal.client;

import java.time.Duration;

/// How much a [PutStream] may have under way, and how long it tries.
///
/// @param unansweredBatchesMax batches that are sent or waiting
/// @param unansweredBytesMax their size; one batch may always be under way
/// @param patience how long to go on without any answer before giving up; zero passes the first
///   refusal on, and gives a server that says nothing two minutes all the same
public record PutLimits(int unansweredBatchesMax, long unansweredBytesMax, Duration patience) {
  /// Keeps a server busy that flushes every 250 ms, with 64 MiB at most.
  public static final PutLimits DEFAULT = new PutLimits(256, 64L << 20, Duration.ofMinutes(2));

  public PutLimits {
    if (unansweredBatchesMax < 1 || unansweredBytesMax < 1 || patience.isNegative()) {
      throw new IllegalArgumentException(
          "limits must be positive: "
              + unansweredBatchesMax
              + ", "
              + unansweredBytesMax
              + ", "
              + patience);
    }
  }

  /// How long a server may say nothing at all on an open call.
  Duration silence() {
    return patience.isZero() ? DEFAULT.patience : patience;
  }
}
