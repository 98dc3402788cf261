package io.icewal.wal;

import io.icewal.model.ProducerSequence;
import io.icewal.wal.Summary.ProducerKey;
import io.icewal.wal.Summary.SeenSequences;
import io.icewal.wal.Summary.SeenTable;
import io.icewal.wal.Summary.SeenWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The next summary: a function of the previous one, the footers in between, and what a round has
/// decided. It takes its time from the store (LastModified of the last segment), so any trimmer
/// that makes the same round makes the same summary.
final class SummaryFunction {
  private static final Duration TABLE_IDLE = Duration.ofDays(7);

  private SummaryFunction() {}

  /// @param segments exactly those from `before.number() + 1` to the plan's number
  /// @param parked all parked blocks, in order
  /// @param idle producers and writers that were not seen for so long are left out
  static Summary next(
      Summary before,
      List<SegmentFooter> segments,
      TrimPlan plan,
      List<BlockRef> parked,
      Duration idle) {
    Map<ProducerKey, SeenSequences> producers = new HashMap<>(before.producers());
    Map<UUID, SeenWriter> writers = new HashMap<>(before.writers());
    Map<UUID, SeenTable> tables = new HashMap<>(before.tablePositions());
    Instant now = before.now();
    for (SegmentFooter segment : segments) {
      now = segment.modified().isAfter(now) ? segment.modified() : now;
      seeSegment(segment, now, producers, writers);
    }
    Instant seen = now;
    plan.states()
        .forEach(
            (id, state) ->
                tables.merge(
                    id,
                    new SeenTable(state.position(), seen),
                    (old, told) -> new SeenTable(Math.max(old.number(), told.number()), seen)));
    Instant oldest = now.minus(idle);
    producers.values().removeIf(producer -> producer.seen().isBefore(oldest));
    writers.values().removeIf(writer -> writer.seen().isBefore(oldest));
    Instant oldestTable = now.minus(TABLE_IDLE);
    tables.values().removeIf(table -> table.seen().isBefore(oldestTable));
    UUID last = segments.get(segments.size() - 1).idForNext();
    return new Summary(
        before.k() + 1, plan.number(), last, now, producers, writers, tables, parked);
  }

  private static void seeSegment(
      SegmentFooter segment,
      Instant now,
      Map<ProducerKey, SeenSequences> producers,
      Map<UUID, SeenWriter> writers) {
    if (segment.acceptedLoss() == null) {
      writers.put(segment.writerId(), new SeenWriter(segment.writerSequence(), now));
    }
    for (BlockRef block : segment.blocks()) {
      for (BatchEntry batch : block.batches()) {
        ProducerSequence producer = batch.producer();
        if (producer != null) {
          ProducerKey key = ProducerKey.of(block.header().tableId(), producer);
          producers.put(key, see(producers.get(key), producer.sequence(), now));
        }
      }
    }
  }

  private static SeenSequences see(@Nullable SeenSequences before, long sequence, Instant now) {
    Sequences sequences = before == null ? Sequences.NONE : before.sequences();
    boolean isNew = sequences.verdict(sequence) == Sequences.Verdict.NEW;
    return new SeenSequences(isNew ? sequences.with(sequence) : sequences, now);
  }
}
