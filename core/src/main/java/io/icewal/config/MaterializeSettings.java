package io.icewal.config;

import java.time.Duration;

/// When a table is materialized, and in how much memory.
///
/// @param memoryBytesMax rows that one cycle holds in memory
/// @param dueBytes a table is due with so much waiting
/// @param dueAge a table with more than a trickle waiting is due at this age
/// @param trickleDueAge a table with anything waiting is due at this age
public record MaterializeSettings(
    long memoryBytesMax, long dueBytes, Duration dueAge, Duration trickleDueAge) {
  private static final Duration AGE_MIN = Duration.ofMillis(100);
  private static final Duration AGE_MAX = Duration.ofDays(1);

  static MaterializeSettings read(ConfigReader reader) {
    return new MaterializeSettings(
        reader.bytes("materialize.memory-max", 256L << 20, 16L << 20, 1L << 40),
        reader.bytes("materialize.size-due", 64L << 20, 1, 1L << 40),
        reader.duration("materialize.age-due", Duration.ofMinutes(1), AGE_MIN, AGE_MAX),
        reader.duration("materialize.trickle-age-due", Duration.ofMinutes(10), AGE_MIN, AGE_MAX));
  }
}
