package io.icewal.runner;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.runner.ActionPlanner.Plan;
import io.icewal.runner.TableCycle.Outcome;
import io.icewal.wal.BlockRef;
import io.icewal.wal.Boundary;
import io.icewal.wal.TrimResult;
import io.icewal.wal.WalTrimmer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The loop's body: each [#step] looks at the logs and does at most one action. Idempotent;
/// crashing anywhere loses nothing. Not thread-safe.
public final class Reconciler {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

  private final Map<LogName, LogView> views = new LinkedHashMap<>();
  private final Map<LogName, WalTrimmer> trimmers;
  private final TableCycle cycle;
  private final ActionPlanner planner;
  private final MaintenancePolicy policy;
  private final Faults faults;
  private final InstantSource clock;

  Reconciler(
      List<LogView> views,
      Map<LogName, WalTrimmer> trimmers,
      TableCycle cycle,
      MaintenancePolicy policy,
      Faults faults,
      InstantSource clock) {
    views.forEach(view -> this.views.put(view.log(), view));
    this.trimmers = trimmers;
    this.cycle = cycle;
    this.planner = new ActionPlanner(policy);
    this.policy = policy;
    this.faults = faults;
    this.clock = clock;
  }

  /// Looks, plans, and does one action if one is due.
  ///
  /// @return how long nothing will be due if nothing new comes; zero after an action
  public Duration step() {
    Plan plan = planner.plan(observe());
    if (plan.action().isPresent()) {
      run(plan.action().get());
      return Duration.ZERO;
    }
    Instant next = plan.next();
    if (next == null) {
      return policy.pollInterval();
    }
    Duration until = Duration.between(clock.instant(), next);
    Duration wait = until.compareTo(policy.pollInterval()) < 0 ? until : policy.pollInterval();
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  private Observation observe() {
    List<Observation.TableSeen> tables = new ArrayList<>();
    List<Observation.LogSeen> logs = new ArrayList<>();
    for (LogView view : views.values()) {
      look(view);
      tables.addAll(view.tablesSeen());
      logs.add(view.seen(clock.instant()));
    }
    return new Observation(clock.instant(), tables, logs);
  }

  /// A log that cannot be read stops neither the others nor what was seen of it before.
  private void look(LogView view) {
    String before = view.error();
    try {
      view.look(clock.instant());
      if (before != null) {
        view.tables().forEach(table -> faults.clear(table.tableId(), before));
      }
    } catch (RuntimeException e) {
      String message = describe(e);
      if (!message.equals(before)) {
        LOG.warn("cannot look at log {}: {}", view.log(), message, unexpected(e));
      }
      view.tables().forEach(table -> faults.set(table.tableId(), message));
    }
  }

  private void run(Action action) {
    if (action instanceof Action.Materialize materialize) {
      materialize(viewOf(materialize.tableId()), materialize.tableId());
    } else if (action instanceof Action.Trim trim) {
      trim(view(trim.log()));
    } else if (action instanceof Action.Clean clean) {
      clean(view(clean.log()));
    }
  }

  /// One cycle of a table.
  ///
  /// @return whether it went well
  boolean materialize(LogView view, UUID tableId) {
    TableWork table = view.table(tableId, "");
    try {
      TableCycle.Result result = cycle.run(tableId, table.name());
      switch (result.outcome()) {
        case GONE -> fail(table, result.message(), /* gone= */ true, /* cannot= */ true);
        case UNFIT -> fail(table, result.message(), /* gone= */ false, /* cannot= */ true);
        case DONE, MORE -> {
          table.reached(result.position());
          table.succeeded(result.outcome() == Outcome.DONE ? clock.instant() : null);
          faults.clear(tableId);
          return true;
        }
      }
    } catch (RuntimeException | Error e) {
      // An error too, say of memory: it is this table's, and must not end what others wait for.
      if (!(e instanceof IcewalException)) {
        LOG.error("materialization of {} failed", table.name(), e);
      }
      fail(table, describe(e), /* gone= */ false, /* cannot= */ false);
    }
    return false;
  }

  static String describe(Throwable e) {
    return e instanceof IcewalException ? String.valueOf(e.getMessage()) : "unexpected " + e;
  }

  /// The failure if its stack trace is needed to understand it; null if its message says it all.
  private static @Nullable Throwable unexpected(Throwable e) {
    return e instanceof IcewalException ? null : e;
  }

  private void fail(TableWork table, String message, boolean gone, boolean cannot) {
    table.failed(clock.instant(), policy, gone, cannot);
    faults.set(table.tableId(), message);
    LOG.warn("table {} ({}) is not materialized: {}", table.name(), table.tableId(), message);
  }

  /// One trim round.
  void trim(LogView view) {
    Instant now = clock.instant();
    try {
      TrimResult result = trimmer(view).trim(new TrimDecision(view, policy, now));
      view.trimmed(now, result.boundary());
      result.alarms().forEach(alarm -> LOG.error("log {}: {}", view.log(), alarm.getMessage()));
      for (BlockRef block : result.dropped()) {
        LOG.warn("given up, since its table is gone or was replaced: {}", block.describe());
      }
    } catch (RuntimeException | Error e) {
      view.trimmed(now, Boundary.NONE);
      LOG.warn("trimming log {} failed: {}", view.log(), describe(e), unexpected(e));
    }
  }

  /// Deletes below the boundary.
  void clean(LogView view) {
    view.cleaned(clock.instant());
    try {
      int deleted = trimmer(view).deleteBelowBoundary();
      LOG.debug("log {}: {} objects deleted", view.log(), deleted);
    } catch (RuntimeException | Error e) {
      LOG.warn("cleaning log {} failed: {}", view.log(), describe(e), unexpected(e));
    }
  }

  List<LogView> views() {
    return List.copyOf(views.values());
  }

  private WalTrimmer trimmer(LogView view) {
    WalTrimmer trimmer = trimmers.get(view.log());
    if (trimmer == null) {
      throw new IcewalException(ErrorKind.INTERNAL, "no trimmer for log " + view.log());
    }
    return trimmer;
  }

  private LogView view(LogName log) {
    LogView view = views.get(log);
    if (view == null) {
      throw new IllegalArgumentException("no log " + log);
    }
    return view;
  }

  private LogView viewOf(UUID tableId) {
    return views.values().stream()
        .filter(view -> view.tables().stream().anyMatch(t -> t.tableId().equals(tableId)))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no log has table " + tableId));
  }
}
