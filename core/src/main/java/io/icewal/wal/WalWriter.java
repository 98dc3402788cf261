package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.storage.ObjectStore;
import io.icewal.wal.Defences.Rule;
import io.icewal.wal.SegmentBuilder.EncodedBlock;
import io.icewal.wal.SlotAttempt.Fate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Appends to one log, in the presence of other writers, trimmers, lost answers and late requests.
/// One thread, one PUT in flight; a process has one writer per log and never lends its id.
///
/// A group of batches goes through these steps, in as many passes as it takes:
///
/// 1. Without state: the newest boundary, whose summary gives the state; then the footers of all
///    segments after it, up to the first absent number n.
/// 2. If a slot was looked at since the last look at the boundary: look. If the boundary is at or
///    above any such slot → 1. Only now the state is used: repeats are answered, the bytes of the
///    rest are built, with the next writer sequence.
/// 3. PUT if absent at n. *Created* → 5. *Exists* → read the footer at n: our own → 5. Another's:
///    look at the boundary; below n → its footer becomes part of the state, n + 1, back to 2; else
///    5 decides. Absent after all → 4.
/// 4. Unknown (time-out, error, dropped connection): look at n. Our own or another's → as in 3.
///    Absent → the same bytes at n again; never move on while an attempt is unknown. At the
///    deadline the answer is "unknown", and the writer starts again from 1 with a new id.
/// 5. Look at the boundary before the acknowledgement. Below n → acknowledged. Else n had been
///    trimmed, and the newest summary tells: it has this writer at this sequence → acknowledged; at
///    a lower one → the segment is void, the rows are appended again from 1; no entry → "unknown",
///    and a new id.
///
/// A lone writer pays one PUT and one GET (the look of step 5) per group.
public final class WalWriter {
  private final LogName log;
  private final ObjectStore store;
  private final RandomGenerator random;
  private final InstantSource clock;
  private final String flightAddress;
  private final WriterLimits limits;
  private final Pause pause;
  private final Defences defences;
  private final LogReader reader;
  private final BoundaryLog boundaries;
  private final FrameEncoder encoder = new FrameEncoder();
  private UUID writerId;
  private long writerSequence;
  private @Nullable LogState state;

  /// A writer that reads footers one after the other and really waits between tries.
  ///
  /// @param clock for deadlines and for the ingest time that people see
  /// @param flightAddress where this process serves Flight, or null
  public WalWriter(
      LogRoot root,
      LogName log,
      RandomGenerator random,
      InstantSource clock,
      @Nullable String flightAddress,
      WriterLimits limits) {
    this(root, log, random, clock, flightAddress, limits, Runnable::run, Pause.REAL);
  }

  /// @param executor runs requests when a cold writer reads the log
  public WalWriter(
      LogRoot root,
      LogName log,
      RandomGenerator random,
      InstantSource clock,
      @Nullable String flightAddress,
      WriterLimits limits,
      Executor executor,
      Pause pause) {
    this(
        root,
        log,
        random,
        clock,
        flightAddress,
        limits,
        executor,
        pause,
        Defences.ALL,
        Ids.random(random));
  }

  WalWriter(
      LogRoot root,
      LogName log,
      RandomGenerator random,
      InstantSource clock,
      @Nullable String flightAddress,
      WriterLimits limits,
      Executor executor,
      Pause pause,
      Defences defences,
      UUID writerId) {
    this.log = log;
    this.store = root.store();
    this.random = random;
    this.clock = clock;
    this.flightAddress = flightAddress == null ? "" : flightAddress;
    this.limits = limits;
    this.pause = pause;
    this.defences = defences;
    this.reader = new LogReader(root, log, executor, ReaderLimits.FOOTERS_ONLY);
    this.boundaries = new BoundaryLog(store, log);
    this.writerId = writerId;
  }

  /// Appends a group of batches in one segment: all of those that are not answered otherwise, or
  /// none.
  ///
  /// @return one outcome per batch, in their order
  /// @throws IcewalException UNAVAILABLE, CORRUPT (the log is damaged) or INVALID (a staged block
  ///   is gone or too old): nothing of the group was stored or can come to be
  public List<AppendOutcome> append(List<AppendBatch> batches) {
    return append(batches, Optional.empty(), Optional.empty());
  }

  /// [#append] of a group that has one name, the sequence of its first batch: if that is in the
  /// log, all batches are answered as repeats, however many they are by now, and nothing is stored.
  /// The state that decides this also tells whether the log may have forgotten the name.
  ///
  /// @param batches the first one with a sequence, all others without
  /// @return as [#append]; all refused, as UNKNOWN, if the log may have forgotten them
  /// @throws IcewalException as [#append]
  public List<AppendOutcome> appendOnce(List<AppendBatch> batches, EarlierAttempts earlier) {
    return append(batches, Optional.of(earlier), Optional.empty());
  }

  /// [#append] for a statement that has read before it writes: nothing is appended if a block of
  /// its tables between what it has read and its own segment conflicts.
  ///
  /// @param conflicts whether a block touches what the statement read or writes; asked once for
  ///   each block after the read position
  /// @param readPosition everything of the tables up to it was read
  /// @throws IcewalException as [#append]; and CONFLICT if the statement must read again: nothing
  ///   of the group was stored or can come to be
  public List<AppendOutcome> appendIf(
      List<AppendBatch> batches, Predicate<BlockRef> conflicts, Position readPosition) {
    if (!readPosition.log().equals(log)) {
      throw new IllegalArgumentException("position " + readPosition + " is not of log " + log);
    }
    Set<UUID> tables =
        batches.stream().map(batch -> batch.header().tableId()).collect(Collectors.toSet());
    ReadGuard guard = new ReadGuard(reader, boundaries, tables, conflicts, readPosition.number());
    return append(batches, Optional.empty(), Optional.of(guard));
  }

  private List<AppendOutcome> append(
      List<AppendBatch> batches, Optional<EarlierAttempts> earlier, Optional<ReadGuard> guard) {
    if (batches.isEmpty()) {
      return List.of();
    }
    Patience patience = new Patience(clock, pause, limits);
    AppendGroup group = new AppendGroup(batches, earlier, encoder, limits.groupRawBytesMax());
    boolean again = true;
    while (again) {
      again = pass(group, guard, patience);
    }
    return group.outcomes();
  }

  /// The last known end of the log: every batch that this writer has acknowledged is before it.
  ///
  /// @return position 0 if nothing is known yet
  public Position end() {
    return log.at(state == null ? 0 : state.next() - 1);
  }

  /// One pass.
  ///
  /// @return whether another one is needed
  private boolean pass(AppendGroup group, Optional<ReadGuard> guard, Patience patience) {
    Optional<LogState> readable = read(patience);
    if (readable.isEmpty()) {
      return true;
    }
    LogState known = readable.get();
    if (defences.lacks(Rule.LOOK_BEFORE_REPEAT)) {
      group.dropRepeats(known, log.at(known.next() - 1));
    }
    if (!look(known, group)) {
      state = null;
      checkDeadline(patience);
      return true;
    }
    forgetIdle(known);
    if (!group.dropRepeats(known, log.at(known.next() - 1))) {
      return false;
    }
    guard.ifPresent(some -> some.check(known.next()));
    Staging.checkPublishable(store, log, group.staged());
    SegmentCodec.Built built = build(known, group.encode());
    Optional<Fate> fate = attempt(known, built, group, patience);
    if (fate.isEmpty()) {
      return false;
    }
    switch (fate.get()) {
      case APPENDED -> group.appended(log.at(built.footer().number()));
      case APPENDED_BELOW -> {
        group.appended(log.at(built.footer().number()));
        state = null;
      }
      case VOID -> state = null;
      case LOST -> {}
    }
    boolean again = fate.get() == Fate.LOST || fate.get() == Fate.VOID;
    if (again) {
      checkDeadline(patience);
    }
    return again;
  }

  /// Step 1, or as much of it as is needed: after this the state is at the first absent slot.
  ///
  /// @return empty if the boundary moved over what was read: start over
  private Optional<LogState> read(Patience patience) {
    try {
      LogState known = state;
      if (known == null) {
        known = load();
      } else if (!known.isAtEnd()) {
        readOn(known);
      }
      state = known;
      return Optional.of(known);
    } catch (IcewalException e) {
      state = null;
      if (e.kind() != ErrorKind.CONFLICT) {
        throw e;
      }
      checkDeadline(patience);
      patience.pause();
      return Optional.empty();
    }
  }

  private LogState load() {
    Boundary newest = boundaries.newest();
    LogState loaded = new LogState(newest, boundaries.summary(newest));
    loaded.looksOn();
    for (SegmentFooter footer : reader.read(newest.number()).segments()) {
      takeLooked(loaded, footer);
    }
    if (defences.lacks(Rule.NEW_ID_AFTER_RESTART)) {
      countOnFromLog(newest);
    }
    loaded.foundEnd();
    return loaded;
  }

  private void readOn(LogState known) {
    known.looksOn();
    Optional<SegmentFooter> footer = reader.lookAt(known.next());
    while (footer.isPresent()) {
      takeLooked(known, footer.get());
      footer = reader.lookAt(known.next());
    }
    known.foundEnd();
  }

  private void takeLooked(LogState known, SegmentFooter footer) {
    if (!footer.follows(known.previousId())) {
      // Either of the two may be a ghost; the one before is none if it was checked.
      long suspect = Math.max(known.uncheckedFrom(), footer.number() - 1);
      throw reader.damage(
          suspect,
          Sealed.corrupt(
              Paths.segment(log, footer.number()),
              "follows " + footer.previousId() + ", expected " + known.previousId()));
    }
    if (defences.lacks(Rule.SEQUENCES_NEVER_VOUCH_TO_WRITERS)) {
      Boundary newest = boundaries.newest();
      if (newest.number() >= footer.number() && !boundaries.summary(newest).vouchesFor(footer)) {
        throw new IcewalException(ErrorKind.CONFLICT, "start over");
      }
    }
    known.take(footer);
  }

  /// Step 2: the look.
  ///
  /// @return false if the state may come from ghosts
  private boolean look(LogState known, AppendGroup group) {
    if (known.uncheckedFrom() == 0 || skipsLook(known, group)) {
      return true;
    }
    Boundary newest = boundaries.newest();
    if (newest.number() >= known.uncheckedFrom()) {
      return false;
    }
    known.checked(newest);
    return true;
  }

  private boolean skipsLook(LogState known, AppendGroup group) {
    boolean skips =
        defences.lacks(Rule.LOOK_AFTER_FOOTERS)
            || defences.lacks(Rule.SEQUENCES_NEVER_VOUCH_TO_WRITERS)
            || (defences.lacks(Rule.LOOK_BEFORE_PUT) && !group.hasRepeats(known));
    if (skips) {
      known.checked(known.boundary());
    }
    return skips;
  }

  private SegmentCodec.Built build(LogState known, List<EncodedBlock> blocks) {
    writerSequence++;
    SegmentBuilder builder =
        new SegmentBuilder(
            log,
            known.next(),
            Ids.random(random),
            known.previousId(),
            writerId,
            writerSequence,
            flightAddress,
            clock.instant());
    blocks.forEach(builder::add);
    return builder.build();
  }

  /// Steps 3 to 5.
  ///
  /// @return empty if the group was answered with "unknown"
  private Optional<Fate> attempt(
      LogState known, SegmentCodec.Built built, AppendGroup group, Patience patience) {
    SlotAttempt attempt =
        new SlotAttempt(store, reader, boundaries, defences, known, built, patience);
    Optional<Fate> fate = Optional.empty();
    try {
      fate = Optional.of(attempt.run());
    } catch (IcewalException e) {
      group.unknown(
          new IcewalException(
              ErrorKind.UNKNOWN,
              "whether the batch is in log "
                  + log
                  + " is not known; send it again with the same sequence: "
                  + e.getMessage(),
              e));
    } finally {
      if (fate.isEmpty()) {
        restart();
      }
    }
    return fate;
  }

  /// An attempt stays unknown for ever: nothing of this life of the writer may vouch for a later
  /// one.
  private void restart() {
    state = null;
    if (defences.has(Rule.NEW_ID_AFTER_RESTART)) {
      writerId = Ids.random(random);
      writerSequence = 0;
    }
  }

  /// Memory follows the newest summary: one GET for each move of the boundary.
  private void forgetIdle(LogState known) {
    if (known.boundary().k() <= known.summaryRound()) {
      return;
    }
    try {
      known.forgetIdle(boundaries.summary(known.boundary()));
    } catch (IcewalException e) {
      // A newer summary is there: it will be asked at the next move of the boundary.
      if (e.kind() != ErrorKind.CONFLICT) {
        throw e;
      }
    }
  }

  private void countOnFromLog(Boundary newest) {
    Summary summary = boundaries.summary(newest);
    Summary.SeenWriter seen = summary.writers().get(writerId);
    writerSequence = Math.max(writerSequence, seen == null ? 0 : seen.sequence());
    for (SegmentFooter footer : reader.read(newest.number()).segments()) {
      if (footer.writerId().equals(writerId)) {
        writerSequence = Math.max(writerSequence, footer.writerSequence());
      }
    }
  }

  private void checkDeadline(Patience patience) {
    if (patience.isOver()) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "could not win a slot of log " + log + " in time; nothing was stored");
    }
  }
}
