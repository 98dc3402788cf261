package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.wal.Defences.Rule;
import java.util.Optional;
import java.util.UUID;

/// Steps 3 to 5 of an append: one segment, one slot, until it is known what became of them.
///
/// From the first PUT on, every failure to find out is a failure to know: it leaves as an
/// exception, of which [WalWriter] makes "unknown".
final class SlotAttempt {

  /// What became of the segment.
  enum Fate {
    /// It is in the log.
    APPENDED,
    /// Its slot belongs to another's segment, which is part of the state now.
    LOST,
    /// It was never and will never be read: the slot had been trimmed before.
    VOID,
    /// It was read and trimmed: it is in the log's past, and the state is too old.
    APPENDED_BELOW
  }

  private final ObjectStore store;
  private final LogName log;
  private final LogReader reader;
  private final BoundaryLog boundaries;
  private final Defences defences;
  private final LogState state;
  private final SegmentCodec.Built built;
  private final Patience patience;

  SlotAttempt(
      ObjectStore store,
      LogReader reader,
      BoundaryLog boundaries,
      Defences defences,
      LogState state,
      SegmentCodec.Built built,
      Patience patience) {
    this.store = store;
    this.log = reader.log();
    this.reader = reader;
    this.boundaries = boundaries;
    this.defences = defences;
    this.state = state;
    this.built = built;
    this.patience = patience;
  }

  /// @throws IcewalException if it could not be found out
  Fate run() {
    while (true) {
      // Step 3.
      PutOutcome outcome = store.putIfAbsent(Paths.segment(log, number()), built.bytes());
      if (outcome instanceof PutOutcome.Created) {
        return settle();
      }
      // Step 4, and step 3's "exists": who is at n?
      Optional<SegmentFooter> there = patience.insist(() -> reader.fetchFooter(number()));
      if (there.isPresent()) {
        return there.get().id().equals(built.footer().id()) ? settle() : lose(there.get());
      }
      // Absent: the same bytes at the same slot again. An older attempt may still be travelling, so
      // moving on could make the batch be there twice, or behind a gap.
      if (defences.lacks(Rule.STAY_WHILE_UNKNOWN)) {
        state.moveTo(number() + 1, SegmentFooter.NONE);
        state.foundEnd();
        return Fate.LOST;
      }
      waitForNextTry(outcome);
    }
  }

  private void waitForNextTry(PutOutcome outcome) {
    if (patience.isOver()) {
      throw new IcewalException(
          ErrorKind.UNKNOWN,
          "segment "
              + number()
              + " of log "
              + log
              + " was put but is not there, and may still come to be",
          outcome instanceof PutOutcome.Unknown unknown ? unknown.cause() : null);
    }
    patience.pause();
  }

  /// Another's segment is at n: every older attempt of ours is dead, if n is above the boundary.
  private Fate lose(SegmentFooter other) {
    Boundary newest = state.boundary();
    if (defences.has(Rule.LOOK_AFTER_LOST_SLOT)) {
      newest = patience.insist(boundaries::newest);
      if (newest.number() >= number() && !vouched(newest, other)) {
        return defences.has(Rule.LOOK_BEFORE_ACK) ? settle() : Fate.VOID;
      }
    }
    if (!other.follows(state.previousId())) {
      throw Sealed.corrupt(
          Paths.segment(log, number()),
          "follows " + other.previousId() + ", expected " + state.previousId());
    }
    state.take(other);
    state.checked(newest);
    return Fate.LOST;
  }

  private boolean vouched(Boundary newest, SegmentFooter other) {
    return defences.lacks(Rule.SEQUENCES_NEVER_VOUCH_TO_WRITERS)
        && boundaries.summary(newest).vouchesFor(other);
  }

  /// Step 5: the boundary decides, and below it the summary.
  private Fate settle() {
    if (defences.lacks(Rule.LOOK_BEFORE_ACK)) {
      return appended(state.boundary());
    }
    while (true) {
      Boundary newest = patience.insist(boundaries::newest);
      if (newest.number() < number()) {
        return appended(newest);
      }
      if (defences.lacks(Rule.SUMMARY_DECIDES_VOID)) {
        return Fate.VOID;
      }
      try {
        return fateBelow(newest, patience.insist(() -> boundaries.summary(newest)));
      } catch (IcewalException e) {
        // The summary is gone, because a newer one is there.
        if (e.kind() != ErrorKind.CONFLICT || patience.isOver()) {
          throw e;
        }
      }
    }
  }

  private Fate appended(Boundary newest) {
    state.take(built.footer());
    state.checked(newest);
    state.foundEnd();
    return Fate.APPENDED;
  }

  private Fate fateBelow(Boundary newest, Summary summary) {
    UUID writer = built.footer().writerId();
    Summary.SeenWriter seen = summary.writers().get(writer);
    if (seen != null) {
      return seen.sequence() >= built.footer().writerSequence() ? Fate.APPENDED_BELOW : Fate.VOID;
    }
    if (defences.lacks(Rule.FORGOTTEN_IS_NOT_VOID)) {
      return Fate.VOID;
    }
    throw new IcewalException(
        ErrorKind.UNKNOWN,
        "segment "
            + number()
            + " of log "
            + log
            + " was trimmed ("
            + newest
            + "), and the summary has forgotten writer "
            + writer);
  }

  private long number() {
    return built.footer().number();
  }
}
