package io.icewal.ingest;

import java.time.Duration;

/// The bounds of one ingesting process.
///
/// @param pendingBytesMax bytes of all batches between admission and answer, over all streams
/// @param batchBytesMax bytes of one batch, as sent and again as converted
/// @param batchRowsMax rows of one batch
/// @param admissionWait how long one batch may wait for its bytes before it is refused
/// @param retryAfter what a refused client is told to wait
/// @param verdictsMax verdicts named in one answer; the rest is counted
public record IngestLimits(
    long pendingBytesMax,
    long batchBytesMax,
    int batchRowsMax,
    Duration admissionWait,
    Duration retryAfter,
    int verdictsMax) {
  /// A quarter of the smallest supported heap (1 GiB): the log needs as much again to encode it.
  private static final long PENDING_BYTES_MAX = 256L << 20;

  /// Half of the pending bytes, so that one large batch never shuts out all others. Readers take
  /// whole blocks: what is accepted here must fit into a reader's memory later.
  private static final long BATCH_BYTES_MAX = 128L << 20;

  private static final int BATCH_ROWS_MAX = 1 << 23;

  public IngestLimits {
    if (batchBytesMax < 1 || pendingBytesMax < batchBytesMax) {
      throw new IllegalArgumentException(
          "need 1 <= batchBytesMax <= pendingBytesMax, got "
              + batchBytesMax
              + " and "
              + pendingBytesMax);
    }
    if (batchBytesMax > 1L << 30) {
      // A column's offsets have 4 bytes.
      throw new IllegalArgumentException("batchBytesMax must be <= 1 GiB, got " + batchBytesMax);
    }
    if (batchRowsMax < 1 || verdictsMax < 1) {
      throw new IllegalArgumentException("batchRowsMax and verdictsMax must be >= 1");
    }
  }

  public static IngestLimits defaults() {
    return new IngestLimits(
        PENDING_BYTES_MAX,
        BATCH_BYTES_MAX,
        BATCH_ROWS_MAX,
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        100);
  }
}
