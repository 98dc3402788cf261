package io.icewal.runner;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.runner.Observation.LogSeen;
import io.icewal.runner.Observation.TableSeen;
import io.icewal.wal.BlockRef;
import io.icewal.wal.Boundary;
import io.icewal.wal.LogReader;
import io.icewal.wal.SegmentFooter;
import io.icewal.wal.SegmentRun;
import io.icewal.wal.Summary;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What a loop has seen of one log: how far it goes, and what every table in it has waiting.
///
/// 1. First, and whenever the boundary has passed what was seen: the newest boundary, its summary
///    (positions, parked blocks), then all segments after it.
/// 2. Later only the segments after the last one seen; one request when there is none.
/// 3. Segments count only if a look at the boundary after them finds it below them.
///
/// What is known of a table (its position, its failures) outlives step 1. Not thread-safe.
final class LogView {
  private final LogReader reader;
  private final MaintenancePolicy policy;
  private final Map<UUID, TableWork> tables = new LinkedHashMap<>();
  private Boundary boundary = Boundary.NONE;
  private boolean begun;
  private long end;
  private Instant lastTrim = Instant.MIN;
  private Instant lastClean = Instant.MIN;
  private Instant lastBoundary = Instant.MIN;
  private @Nullable String error;

  LogView(LogReader reader, MaintenancePolicy policy) {
    this.reader = reader;
    this.policy = policy;
  }

  LogName log() {
    return reader.log();
  }

  /// Whether the last look saw the log as it is.
  boolean isCurrent() {
    return begun;
  }

  /// Looks at the log. A failure is remembered in [#error] and thrown.
  void look(Instant now) {
    try {
      lookNow(now);
      error = null;
    } catch (RuntimeException e) {
      if (e instanceof IcewalException icewal && icewal.kind() == ErrorKind.CONFLICT) {
        begun = false; // The boundary has passed us: the next look begins there.
        return;
      }
      error = Reconciler.describe(e);
      throw e;
    }
  }

  private void lookNow(Instant now) {
    boolean checkBoundary =
        Duration.between(lastBoundary, now).compareTo(policy.boundaryInterval()) >= 0;
    if (!begun || (checkBoundary && hasBoundaryPassed(now))) {
      begin(now);
    }
    SegmentRun run = reader.read(end);
    if (run.end() == end) {
      return;
    }
    if (!reader.confirm(boundary, run)) {
      begun = false;
      return;
    }
    for (SegmentFooter segment : run.segments()) {
      segment.blocks().forEach(this::add);
    }
    end = run.end();
  }

  private boolean hasBoundaryPassed(Instant now) {
    lastBoundary = now;
    Boundary newest = reader.newestBoundary();
    if (newest.number() > end) {
      return true;
    }
    boundary = newest;
    return false;
  }

  private void begin(Instant now) {
    lastBoundary = now;
    if (lastTrim.equals(Instant.MIN)) {
      lastTrim = now;
      lastClean = now;
    }
    boundary = reader.newestBoundary();
    Summary summary = reader.summary(boundary);
    tables.values().forEach(TableWork::forgetWaiting);
    summary.tablePositions().forEach((id, seen) -> table(id, "").remembered(seen.number()));
    summary.parked().forEach(this::add);
    end = boundary.number();
    begun = true;
  }

  private void add(BlockRef block) {
    table(block.header().tableId(), block.header().tableName()).add(block);
  }

  /// The table's entry, made if there is none.
  TableWork table(UUID tableId, String name) {
    return tables.computeIfAbsent(tableId, id -> new TableWork(id, name));
  }

  Collection<TableWork> tables() {
    return tables.values();
  }

  long end() {
    return end;
  }

  /// What is wrong with the log as a whole; null if nothing is.
  @Nullable String error() {
    return error;
  }

  /// A trim round has ended, and this is the newest boundary that it knows.
  void trimmed(Instant now, Boundary newest) {
    lastTrim = now;
    if (newest.number() > end) {
      begun = false;
    } else if (newest.k() > boundary.k()) {
      boundary = newest;
    }
  }

  void cleaned(Instant now) {
    lastClean = now;
  }

  List<TableSeen> tablesSeen() {
    return tables.values().stream().filter(TableWork::isWaiting).map(TableWork::seen).toList();
  }

  LogSeen seen(Instant now) {
    long first = Long.MAX_VALUE;
    for (TableWork table : tables.values()) {
      long waiting = table.firstWaiting(boundary.number());
      boolean holdsBack = end - waiting + 1 > policy.trim().holdBackMax();
      if (!holdsBack && !table.isToPark(now, policy)) {
        first = Math.min(first, waiting);
      }
    }
    long trimmable = Math.max(0, Math.min(end, first - 1) - boundary.number());
    return new LogSeen(log(), trimmable, lastTrim, lastClean, boundary.k() > 0);
  }
}
