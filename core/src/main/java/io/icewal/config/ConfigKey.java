package io.icewal.config;

import java.util.List;

/// One key of the configuration file, for the reference table in the documentation.
///
/// @param name such as `server.port`
/// @param standard the default as one would write it, or `required`
/// @param meaning one sentence
public record ConfigKey(String name, String standard, String meaning) {

  /// All keys but Iceberg's own `catalog.*`, in the order of the reference table.
  public static List<ConfigKey> all() {
    return List.of(
        new ConfigKey(
            "catalog.name",
            "icewal",
            "Name of the Iceberg catalog; JDBC catalogs list nothing under another one."),
        new ConfigKey(
            "log.root",
            "required",
            "Where the log lives: an absolute folder or `s3://bucket/path`, apart from every"
                + " table."),
        new ConfigKey(
            "log.count", "1", "Number of logs, from 1 to 64; counts when the root is created."),
        new ConfigKey(
            "log.grace",
            "1h",
            "How long materialized segments are kept for running readers, at least 1m."),
        new ConfigKey("server.host", "127.0.0.1", "Address to listen on; loopback only for now."),
        new ConfigKey("server.port", "8815", "Flight port, from 0 (any free one) to 65535."),
        new ConfigKey(
            "server.memory-max",
            "256MiB",
            "Rows waiting for the log over all streams, from 1MiB; above it the server answers"
                + " UNAVAILABLE."),
        new ConfigKey(
            "server.flush-size",
            "8MiB",
            "A log is flushed when so much is pending, from 64KiB to 256MiB."),
        new ConfigKey(
            "server.flush-interval",
            "250ms",
            "A log is flushed when this has passed since its last flush, up to 1m."),
        new ConfigKey(
            "materialize.memory-max",
            "256MiB",
            "Rows that one materialization holds in memory, from 16MiB."),
        new ConfigKey("materialize.size-due", "64MiB", "A table is due with so much waiting."),
        new ConfigKey(
            "materialize.age-due", "1m", "A table with 1 MiB waiting is due at this age."),
        new ConfigKey(
            "materialize.trickle-age-due",
            "10m",
            "A table with anything waiting is due at this age."));
  }
}
