package io.icewal.runner;

import io.icewal.materialize.MaterializePolicy;
import io.icewal.model.BlockKind;
import io.icewal.runner.Observation.TableSeen;
import io.icewal.wal.BlockRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What the loop believes about one table: what waits, and how the last cycles went. Not
/// thread-safe.
final class TableWork {
  private record Waiting(long number, long keys, long bytes, Instant ingested, boolean flush) {}

  private final UUID tableId;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private String name;
  private long position;
  private boolean positionKnown;
  private long keys;
  private long bytes;
  private int flushes;
  private @Nullable Instant lastCycle;
  private @Nullable Instant notBefore;
  private @Nullable Instant failingSince;
  private int failures;
  private @Nullable Instant goneSince;
  private boolean unfit;

  TableWork(UUID tableId, String name) {
    this.tableId = tableId;
    this.name = name;
  }

  UUID tableId() {
    return tableId;
  }

  /// Its last known name.
  String name() {
    return name;
  }

  /// A block that was seen in the log, or parked. Blocks come in log order.
  void add(BlockRef block) {
    name = block.header().tableName();
    if (block.number() <= position) {
      return;
    }
    boolean flush = block.header().kind() == BlockKind.FLUSH;
    // Rows are counted as keys that a fresh read must look up; those without a key need no look-up.
    long lookUps = block.header().isKeyed() ? block.rows() : 0;
    Waiting added = new Waiting(block.number(), lookUps, block.bytes(), block.ingestTime(), flush);
    waiting.add(added);
    keys += added.keys;
    bytes += added.bytes;
    flushes += flush ? 1 : 0;
  }

  /// The table is materialized at least up to here.
  void reached(long number) {
    positionKnown = true;
    position = Math.max(position, number);
    while (!waiting.isEmpty() && waiting.element().number <= position) {
      Waiting done = waiting.remove();
      keys -= done.keys;
      bytes -= done.bytes;
      flushes -= done.flush ? 1 : 0;
    }
  }

  /// A lower bound of the position, from a summary.
  void remembered(long number) {
    boolean known = positionKnown;
    reached(number);
    positionKnown = known;
  }

  void forgetWaiting() {
    waiting.clear();
    keys = 0;
    bytes = 0;
    flushes = 0;
  }

  /// @param ended when the cycle ended; null if the next one should come at once
  void succeeded(@Nullable Instant ended) {
    lastCycle = ended;
    notBefore = null;
    failingSince = null;
    failures = 0;
    goneSince = null;
    unfit = false;
  }

  /// @param gone whether there is no such table
  /// @param cannot whether the table will not take its rows until somebody changes it
  void failed(Instant now, MaintenancePolicy policy, boolean gone, boolean cannot) {
    failures++;
    failingSince = failingSince == null ? now : failingSince;
    notBefore = now.plus(policy.backoff(failures));
    goneSince = !gone ? null : goneSince == null ? now : goneSince;
    unfit = gone || cannot;
  }

  boolean isWaiting() {
    return !waiting.isEmpty();
  }

  /// The first segment after the given number that waits for this table; the largest number if none
  /// does. Parked blocks lie at or before the boundary and hold nothing back.
  long firstWaiting(long after) {
    for (Waiting block : waiting) {
      if (block.number > after) {
        return block.number;
      }
    }
    return Long.MAX_VALUE;
  }

  /// The last one at or before the given number; 0 if none.
  long lastWaiting(long upTo) {
    long last = 0;
    for (Waiting block : waiting) {
      last = block.number <= upTo ? block.number : last;
    }
    return last;
  }

  /// A lower bound of its position.
  long position() {
    return position;
  }

  /// Whether the position was read from the table, not from a summary.
  boolean isPositionKnown() {
    return positionKnown;
  }

  /// Whether its blocks are to be moved aside.
  boolean isToPark(Instant now, MaintenancePolicy policy) {
    boolean failing =
        failingSince != null
            && failures >= policy.parkFailures()
            && Duration.between(failingSince, now).compareTo(policy.parkFailing()) >= 0;
    return unfit || failing;
  }

  @Nullable Instant goneSince() {
    return goneSince;
  }

  TableSeen seen() {
    if (waiting.isEmpty()) {
      throw new IllegalStateException("nothing waits for table " + tableId);
    }
    Instant oldest = waiting.element().ingested;
    return new TableSeen(
        tableId,
        new MaterializePolicy.Waiting(bytes, keys, oldest, flushes > 0),
        oldest,
        lastCycle,
        notBefore);
  }
}
