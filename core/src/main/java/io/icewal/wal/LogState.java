package io.icewal.wal;

import io.icewal.model.ProducerSequence;
import io.icewal.wal.Summary.ProducerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/// What a writer knows after all segments below [#next]. Belongs to one writer.
///
/// From [#uncheckedFrom] on, slots were looked at, present or absent, since the last look at the
/// boundary: the state may come from ghosts and must not be used before the next look.
final class LogState {
  /// So far the clocks of a store's servers may be apart.
  private static final Duration CLOCKS_APART = Duration.ofHours(1);

  private record Seen(Sequences sequences, long number) {}

  private final Map<ProducerKey, Seen> producers = new HashMap<>();
  private Boundary boundary;
  private long summaryRound;
  private Instant summaryTime;
  private UUID previousId;
  private long next;
  private long uncheckedFrom;
  private boolean atEnd;

  /// The state that a summary gives.
  LogState(Boundary boundary, Summary summary) {
    this.boundary = boundary;
    this.summaryRound = summary.k();
    this.summaryTime = summary.now();
    this.previousId = summary.lastSegmentId();
    this.next = boundary.number() + 1;
    summary
        .producers()
        .forEach((key, seen) -> producers.put(key, new Seen(seen.sequences(), boundary.number())));
  }

  /// The first slot whose segment is not part of this state.
  long next() {
    return next;
  }

  /// The UUID of the segment before [#next]; all zero if it is not known.
  UUID previousId() {
    return previousId;
  }

  /// The newest boundary that is known.
  Boundary boundary() {
    return boundary;
  }

  /// The round of the newest summary that this state follows.
  long summaryRound() {
    return summaryRound;
  }

  Sequences sequences(ProducerKey key) {
    Seen seen = producers.get(key);
    return seen == null ? Sequences.NONE : seen.sequences();
  }

  /// Whether this state surely knows every sequence below [#next] that was stored at a time or
  /// later, by the store's clock.
  boolean remembers(Instant since) {
    Instant forgotten = summaryTime.minus(TrimLimits.DEFAULTS.producerIdle());
    return !since.isBefore(forgotten.plus(CLOCKS_APART));
  }

  /// Whether [#next] is absent, or has not been looked at since this writer filled the slot before.
  boolean isAtEnd() {
    return atEnd;
  }

  /// Slots from [#next] on are about to be looked at.
  void looksOn() {
    if (uncheckedFrom == 0) {
      uncheckedFrom = next;
    }
    atEnd = false;
  }

  /// The segment at [#next] becomes part of the state.
  void take(SegmentFooter footer) {
    if (footer.number() != next) {
      throw new IllegalStateException("segment " + footer.number() + ", expected " + next);
    }
    for (BlockRef block : footer.blocks()) {
      UUID table = block.header().tableId();
      for (BatchEntry batch : block.batches()) {
        ProducerSequence producer = batch.producer();
        if (producer != null) {
          see(ProducerKey.of(table, producer), producer.sequence());
        }
      }
    }
    moveTo(next + 1, footer.idForNext());
  }

  private void see(ProducerKey key, long sequence) {
    Sequences before = sequences(key);
    if (before.verdict(sequence) == Sequences.Verdict.NEW) {
      producers.put(key, new Seen(before.with(sequence), next));
    }
  }

  void moveTo(long number, UUID previous) {
    next = number;
    previousId = previous;
    atEnd = false;
  }

  /// [#next] is where to put.
  void foundEnd() {
    atEnd = true;
  }

  /// The lowest slot that was looked at since the last look at the boundary; 0 if there is none.
  long uncheckedFrom() {
    return uncheckedFrom;
  }

  /// A look at the boundary found it below all that was looked at.
  void checked(Boundary newest) {
    boundary = newest;
    uncheckedFrom = 0;
  }

  /// Forgets the producers that a newer summary has forgotten, so that memory follows it.
  void forgetIdle(Summary summary) {
    summaryRound = summary.k();
    summaryTime = summary.now();
    producers
        .entrySet()
        .removeIf(
            entry ->
                entry.getValue().number() <= summary.number()
                    && !summary.producers().containsKey(entry.getKey()));
  }
}
