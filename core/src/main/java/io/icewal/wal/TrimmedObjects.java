package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Deletes what trimming made superfluous: step (d). Not thread-safe.
///
/// 1. The newest boundary is found that is older than the grace, by the store's time. What it made
///    superfluous has been so for that long.
/// 2. Segments up to its number go, ghosts that landed there too. The list begins where the last
///    one ended, and at the very beginning now and then: listing over what was deleted can be slow.
/// 3. Summaries of its round and before go, except the last few that won their round. Those of
///    later rounds stay: a sleeping trimmer may still publish one.
/// 4. Parked objects of its round and before go, if its summary does not list them: later ones do
///    not list them either.
final class TrimmedObjects {
  private static final int PAGE = 1000;
  private static final int BOUNDARY_PAGE = 64;
  private static final int FULL_SCAN_EVERY = 64;

  private final ObjectStore store;
  private final LogName log;
  private final BoundaryLog boundaries;
  private final TrimLimits limits;
  private long deletedTo;
  private int calls;

  TrimmedObjects(ObjectStore store, LogName log, BoundaryLog boundaries, TrimLimits limits) {
    this.store = store;
    this.log = log;
    this.boundaries = boundaries;
    this.limits = limits;
  }

  int delete() {
    Boundary newest = boundaries.newest();
    Optional<Boundary> old = olderThanGrace(newest);
    if (old.isEmpty()) {
      return 0;
    }
    Boundary graced = old.get();
    return deleteSegments(graced) + deleteSummaries(graced, newest) + deleteParked(graced);
  }

  private Optional<Boundary> olderThanGrace(Boundary newest) {
    if (newest.k() == 0) {
      return Optional.empty();
    }
    Instant latest = StoreClock.now(store, log).minus(limits.grace());
    String after = "";
    while (true) {
      List<ObjectMeta> page = store.list(Paths.boundaries(log), after, BOUNDARY_PAGE);
      for (ObjectMeta meta : page) {
        if (!meta.lastModified().isAfter(latest)) {
          return boundaries.get(Paths.boundaryRound(meta.key()));
        }
        after = meta.key();
      }
      if (page.size() < BOUNDARY_PAGE) {
        return Optional.empty();
      }
    }
  }

  private int deleteSegments(Boundary graced) {
    boolean full = calls++ % FULL_SCAN_EVERY == 0;
    String after = full || deletedTo == 0 ? "" : Paths.segment(log, deletedTo);
    int deleted =
        deleteWhile(
            Paths.segments(log),
            after,
            key -> Paths.segmentNumber(key) <= graced.number(),
            key -> true);
    deletedTo = graced.number();
    return deleted;
  }

  private int deleteSummaries(Boundary graced, Boundary newest) {
    Set<String> kept = new HashSet<>(Set.of(graced.summaryKey()));
    for (long k = Math.max(1, newest.k() - limits.summariesKept() + 1); k <= graced.k(); k++) {
      boundaries.get(k).ifPresent(boundary -> kept.add(boundary.summaryKey()));
    }
    return deleteWhile(
        Paths.summaries(log),
        "",
        key -> Paths.round(key) <= graced.k(),
        key -> !kept.contains(key));
  }

  private int deleteParked(Boundary graced) {
    Set<String> listed = new HashSet<>();
    try {
      boundaries.summary(graced).parked().forEach(block -> listed.add(block.location().object()));
    } catch (IcewalException e) {
      // Another trimmer has gone on to later rounds: it does this work.
      if (e.kind() == ErrorKind.CONFLICT) {
        return 0;
      }
      throw e;
    }
    return deleteWhile(
        Paths.parkedObjects(log),
        "",
        key -> Paths.round(key) <= graced.k(),
        key -> !listed.contains(key));
  }

  /// Deletes in the order of names, until one is no longer in range.
  private int deleteWhile(
      String prefix, String startAfter, Predicate<String> inRange, Predicate<String> superfluous) {
    int deleted = 0;
    String after = startAfter;
    while (true) {
      List<ObjectMeta> page = store.list(prefix, after, PAGE);
      List<String> keys = new ArrayList<>();
      boolean ended = page.size() < PAGE;
      for (ObjectMeta meta : page) {
        after = meta.key();
        if (!inRange.test(meta.key())) {
          ended = true;
          break;
        }
        if (superfluous.test(meta.key())) {
          keys.add(meta.key());
        }
      }
      if (!keys.isEmpty()) {
        store.delete(keys);
        deleted += keys.size();
      }
      if (ended) {
        return deleted;
      }
    }
  }
}
