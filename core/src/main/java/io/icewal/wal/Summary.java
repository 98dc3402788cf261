package io.icewal.wal;

import io.icewal.model.ProducerSequence;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// What lies below a boundary. Immutable.
///
/// @param k the round that made it; 0 for the empty summary of a log that was never trimmed
/// @param number the last trimmed segment
/// @param lastSegmentId the UUID of that segment
/// @param now when that segment was stored, by the store's clock: ages are counted from here
/// @param producers the sequences seen, by table and producer
/// @param writers the last sequence of each writer
/// @param tablePositions the positions of recent tables when it was made: lower bounds of what they
///   are now
/// @param parked the blocks that are parked, in order
public record Summary(
    long k,
    long number,
    UUID lastSegmentId,
    Instant now,
    Map<ProducerKey, SeenSequences> producers,
    Map<UUID, SeenWriter> writers,
    Map<UUID, SeenTable> tablePositions,
    List<BlockRef> parked) {
  /// Below the first segment.
  public static final Summary EMPTY =
      new Summary(0, 0, SegmentFooter.NONE, Instant.EPOCH, Map.of(), Map.of(), Map.of(), List.of());

  public Summary {
    producers = Map.copyOf(producers);
    writers = Map.copyOf(writers);
    tablePositions = Map.copyOf(tablePositions);
    parked = List.copyOf(parked);
  }

  /// Whom sequences belong to.
  public record ProducerKey(UUID tableId, String producer) {
    static ProducerKey of(UUID tableId, ProducerSequence sequence) {
      return new ProducerKey(tableId, sequence.producer());
    }
  }

  /// A producer's sequences and when its last one was stored.
  public record SeenSequences(Sequences sequences, Instant seen) {}

  /// A writer's last sequence and when it was stored.
  public record SeenWriter(long sequence, Instant seen) {}

  /// A table's position and when a block of it was last in a trimmed segment.
  public record SeenTable(long number, Instant seen) {}

  /// Whether the sequences of writers cover a segment; which never makes it valid.
  boolean vouchesFor(SegmentFooter segment) {
    SeenWriter seen = writers.get(segment.writerId());
    return seen != null && seen.sequence() >= segment.writerSequence();
  }

  /// The parked blocks of one table after a position, in order.
  public List<BlockRef> parked(UUID tableId, long afterNumber) {
    return parked.stream()
        .filter(block -> block.header().tableId().equals(tableId) && block.number() > afterNumber)
        .toList();
  }
}
