package io.icewal.ingest;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// A clock that moves only when told to.
final class SettableClock implements InstantSource {
  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @Override
  public Instant instant() {
    return now;
  }

  void advance(Duration by) {
    now = now.plus(by);
  }
}
