package io.icewal.ingest;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Collects the batches of all streams of one log and appends them in groups.
///
/// 1. Streams offer validated batches from any thread; a batch waits in the order of the offers.
/// 2. [#step] takes what is pending when a flush is due: enough bytes, or enough time since the
///    last flush began. While the append runs, the next group grows.
/// 3. The append's outcomes answer the batches. A failed one ends its stream: what that stream has
///    pending is answered with the failure and never appended.
///
/// No thread is started here: the owner calls [#awaitWork] and [#step] in turn from one thread.
/// What is pending is bounded by the admission in front ([IngestLimits#pendingBytesMax]).
public final class GroupCommit implements AutoCloseable {
  private final LogAppender log;
  private final GroupCommitLimits limits;
  private final InstantSource clock;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<PendingBatch> pending = new ArrayDeque<>();
  private long pendingBytes;
  private Instant lastFlush = Instant.MIN;
  private boolean inFlight;
  private boolean draining;

  public GroupCommit(LogAppender log, GroupCommitLimits limits, InstantSource clock) {
    this.log = log;
    this.limits = limits;
    this.clock = clock;
  }

  /// Appends one group if a flush is due.
  ///
  /// @return whether it did
  public boolean step() {
    List<PendingBatch> group = takeDue();
    if (group.isEmpty()) {
      return false;
    }
    try {
      append(group);
    } finally {
      endFlight();
    }
    return true;
  }

  /// Waits until a flush is due, or the given time has passed.
  ///
  /// @return whether a flush is due
  public boolean awaitWork(Duration max) throws InterruptedException {
    lock.lock();
    try {
      long leftNanos = max.toNanos();
      while (!isDue() && leftNanos > 0) {
        long sliceNanos = Math.min(leftNanos, untilDueNanos());
        leftNanos -= sliceNanos - Math.max(0, changed.awaitNanos(sliceNanos));
      }
      return isDue();
    } finally {
      lock.unlock();
    }
  }

  /// Bytes that wait for a flush, without those of an append that is running.
  public long pendingBytes() {
    lock.lock();
    try {
      return pendingBytes;
    } finally {
      lock.unlock();
    }
  }

  /// Takes no further batch and makes what is pending due at once. Call [#step] until [#isDrained].
  public void drain() {
    lock.lock();
    try {
      draining = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Whether nothing is pending and no append runs.
  public boolean isDrained() {
    lock.lock();
    try {
      return pending.isEmpty() && !inFlight;
    } finally {
      lock.unlock();
    }
  }

  /// Takes no further batch and answers what is pending UNAVAILABLE. A running append still answers
  /// its own.
  @Override
  public void close() {
    drain();
    for (PendingBatch batch : takeAll(Long.MAX_VALUE)) {
      batch.fail(shuttingDown());
    }
  }

  /// Takes a batch over; it is answered whatever happens.
  void offer(PendingBatch batch) {
    lock.lock();
    try {
      if (!draining) {
        pending.add(batch);
        pendingBytes += batch.bytes();
        changed.signalAll();
        return;
      }
    } finally {
      lock.unlock();
    }
    batch.fail(shuttingDown());
  }

  private static IcewalException shuttingDown() {
    return new IcewalException(
        ErrorKind.UNAVAILABLE,
        "not taken: this ingestor is shutting down; send the batch again to another one");
  }

  private List<PendingBatch> takeDue() {
    lock.lock();
    try {
      if (inFlight || !isDue()) {
        return List.of();
      }
      lastFlush = clock.instant();
      inFlight = true;
      return takeAll(limits.segmentBytesMax());
    } finally {
      lock.unlock();
    }
  }

  /// At least one batch if any is pending, then as many as fit into the given bytes.
  private List<PendingBatch> takeAll(long bytesMax) {
    lock.lock();
    try {
      List<PendingBatch> taken = new ArrayList<>();
      long bytes = 0;
      while (!pending.isEmpty()
          && (taken.isEmpty() || bytes + pending.element().bytes() <= bytesMax)) {
        PendingBatch batch = pending.remove();
        bytes += batch.bytes();
        taken.add(batch);
      }
      pendingBytes -= bytes;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private boolean isDue() {
    return !pending.isEmpty()
        && (draining || pendingBytes >= limits.flushBytes() || untilDueNanos() <= 0);
  }

  /// Nanoseconds until the next flush by age; for ever when nothing is pending. A clock that went
  /// back counts as due: waiting it out could take hours.
  private long untilDueNanos() {
    if (pending.isEmpty()) {
      return Long.MAX_VALUE;
    }
    Instant now = clock.instant();
    if (now.isBefore(lastFlush) || lastFlush.equals(Instant.MIN)) {
      return 0;
    }
    Duration age = Duration.between(lastFlush, now);
    if (age.compareTo(limits.flushAge()) >= 0) {
      return 0;
    }
    return Math.max(limits.flushAge().minus(age).toNanos(), TimeUnit.MICROSECONDS.toNanos(100));
  }

  private void endFlight() {
    lock.lock();
    try {
      inFlight = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void append(List<PendingBatch> group) {
    List<PendingBatch> live = new ArrayList<>(group.size());
    for (PendingBatch batch : group) {
      if (batch.stream().hasFailed()) {
        batch.fail(batch.stream().afterEnd(ErrorKind.UNAVAILABLE));
      } else {
        live.add(batch);
      }
    }
    if (!live.isEmpty()) {
      answer(live, outcomes(live));
    }
  }

  /// One outcome a batch, whatever the log did.
  private List<AppendOutcome> outcomes(List<PendingBatch> group) {
    List<AppendBatch> batches = group.stream().map(PendingBatch::batch).toList();
    try {
      List<AppendOutcome> outcomes = log.append(batches);
      if (outcomes.size() == batches.size()) {
        return outcomes;
      }
      return forAll(
          group,
          new IcewalException(
              ErrorKind.INTERNAL,
              "log gave " + outcomes.size() + " outcomes for " + batches.size() + " batches"));
    } catch (IcewalException e) {
      return forAll(group, e);
    } catch (RuntimeException | Error e) {
      // Something may have been stored: only the producer's sequence can make a resend safe.
      return forAll(
          group,
          new IcewalException(
              ErrorKind.UNKNOWN,
              "the append ended with an unexpected error, its outcome is unknown: " + e,
              e));
    }
  }

  private static List<AppendOutcome> forAll(List<PendingBatch> group, IcewalException error) {
    List<AppendOutcome> outcomes = new ArrayList<>(group.size());
    for (int i = 0; i < group.size(); i++) {
      outcomes.add(new AppendOutcome.Refused(error));
    }
    return outcomes;
  }

  private static void answer(List<PendingBatch> group, List<AppendOutcome> outcomes) {
    for (int i = 0; i < group.size(); i++) {
      PendingBatch batch = group.get(i);
      AppendOutcome outcome = outcomes.get(i);
      if (batch.stream().hasFailed()) {
        // Perhaps durable, yet never acknowledged: an earlier batch of its stream is not.
        batch.fail(batch.stream().afterEnd(ErrorKind.UNKNOWN));
      } else if (outcome instanceof AppendOutcome.Appended appended) {
        batch.succeed(appended.position());
      } else if (outcome instanceof AppendOutcome.Repeat repeat) {
        batch.succeed(repeat.knownEnd());
      } else if (outcome instanceof AppendOutcome.Refused refused) {
        batch.fail(refused.error());
      } else if (outcome instanceof AppendOutcome.Unknown unknown) {
        batch.fail(unknown.error());
      } else {
        throw new IllegalStateException("unknown outcome " + outcome);
      }
    }
  }
}
