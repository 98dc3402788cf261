package io.icewal.flight;

import java.util.concurrent.atomic.AtomicLong;

/// Bytes of answers that wait for clients who do not read them, over all put streams. While there
/// is room, such a client may go on sending (some read no answer before their last batch is sent);
/// after that it must read first. Thread-safe.
final class AnswerBacklog {
  private final long bytesMax;
  private final AtomicLong bytes = new AtomicLong();

  AnswerBacklog(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  boolean hasRoom() {
    return bytes.get() < bytesMax;
  }

  /// @param change negative when answers were read
  void add(long change) {
    bytes.addAndGet(change);
  }
}
