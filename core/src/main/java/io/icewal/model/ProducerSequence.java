package io.icewal.model;

/// A producer's name for one batch. The same pair names the same batch for ever: a repeat is
/// acknowledged, never stored twice.
///
/// @param producer 1 to 256 characters
/// @param sequence from 0, rising within the producer and table
public record ProducerSequence(String producer, long sequence) {
  public static final int PRODUCER_CHARS_MAX = 256;

  public ProducerSequence {
    if (producer.isEmpty() || producer.length() > PRODUCER_CHARS_MAX) {
      throw new IllegalArgumentException(
          "producer must have 1 to "
              + PRODUCER_CHARS_MAX
              + " characters, has "
              + producer.length());
    }
    if (sequence < 0) {
      throw new IllegalArgumentException("sequence must be >= 0, got " + sequence);
    }
  }
}
