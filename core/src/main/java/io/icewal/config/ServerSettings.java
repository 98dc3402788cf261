package io.icewal.config;

import java.time.Duration;

/// Settings of an ingestor.
///
/// @param host the address to listen on
/// @param port 0 for any free one
/// @param memoryBytesMax rows waiting for the log, over all streams
/// @param flushBytes a log is flushed when so much is pending
/// @param flushInterval or when this has passed since its last flush
public record ServerSettings(
    String host, int port, long memoryBytesMax, long flushBytes, Duration flushInterval) {
  static ServerSettings read(ConfigReader reader) {
    return new ServerSettings(
        reader.text("server.host", "127.0.0.1"),
        reader.number("server.port", 8_815, 0, 65_535),
        reader.bytes("server.memory-max", 256L << 20, 1L << 20, 1L << 40),
        reader.bytes("server.flush-size", 8L << 20, 64L << 10, 256L << 20),
        reader.duration(
            "server.flush-interval",
            Duration.ofMillis(250),
            Duration.ofMillis(1),
            Duration.ofMinutes(1)));
  }

  /// The same with another port.
  public ServerSettings withPort(int newPort) {
    return new ServerSettings(host, newPort, memoryBytesMax, flushBytes, flushInterval);
  }
}
