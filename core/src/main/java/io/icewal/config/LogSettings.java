package io.icewal.config;

import java.time.Duration;

/// Settings of the log.
///
/// @param root an absolute folder or `s3://bucket/path`
/// @param countIfNew the number of logs of a root that is created now
/// @param grace how long segments below the boundary are kept for running readers
public record LogSettings(String root, int countIfNew, Duration grace) {
  static LogSettings read(ConfigReader reader) {
    int count = reader.number("log.count", 1, 1, 64);
    Duration grace =
        reader.duration(
            "log.grace", Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofDays(7));
    String root = reader.requiredText("log.root", "an absolute folder or s3://bucket/path");
    return new LogSettings(root, count, grace);
  }
}
