package io.icewal.model;

import java.nio.charset.StandardCharsets;

/// A producer's name for one batch. The same pair names the same batch for ever: a repeat is
/// acknowledged, never stored twice.
///
/// @param producer 1 to 256 characters of well-formed text
/// @param sequence from 0, rising within the producer and table
public record ProducerSequence(String producer, long sequence) {
  public static final int PRODUCER_CHARS_MAX = 256;

  /// Whether a text can be a producer. Half a surrogate pair cannot: as UTF-8 it would be another.
  public static boolean isProducer(String text) {
    return !text.isEmpty()
        && text.length() <= PRODUCER_CHARS_MAX
        && StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  public ProducerSequence {
    if (!isProducer(producer)) {
      throw new IllegalArgumentException("not a producer: '" + producer + "'");
    }
    if (sequence < 0) {
      throw new IllegalArgumentException("sequence must be >= 0, got " + sequence);
    }
  }
}
