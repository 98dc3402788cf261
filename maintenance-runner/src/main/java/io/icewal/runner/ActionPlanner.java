package io.icewal.runner;

import io.icewal.runner.Observation.LogSeen;
import io.icewal.runner.Observation.TableSeen;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Decides what to do next. Pure.
///
/// The order is total: flushed tables first (somebody waits), then the table whose rows have waited
/// longest, then trimming, then cleaning.
final class ActionPlanner {
  /// @param action what to do now, if anything is due
  /// @param next when something will be due if nothing changes; null if never
  record Plan(Optional<Action> action, @Nullable Instant next) {}

  private static final Comparator<TableSeen> ORDER =
      Comparator.comparing((TableSeen table) -> !table.waiting().flush())
          .thenComparing(TableSeen::oldest)
          .thenComparing(TableSeen::tableId);

  private final MaintenancePolicy policy;

  ActionPlanner(MaintenancePolicy policy) {
    this.policy = policy;
  }

  Plan plan(Observation seen) {
    Instant next = null;
    for (TableSeen table : seen.tables().stream().sorted(ORDER).toList()) {
      Instant due = due(table);
      if (!due.isAfter(seen.now())) {
        return new Plan(Optional.of(new Action.Materialize(table.tableId())), null);
      }
      next = earlier(next, due);
    }
    for (LogSeen log : seen.logs()) {
      if (policy.trim().isDue(log.trimmable(), Duration.between(log.lastTrim(), seen.now()))) {
        return new Plan(Optional.of(new Action.Trim(log.log())), null);
      }
      if (log.trimmable() > 0) {
        next = earlier(next, log.lastTrim().plus(policy.trim().ageDue()));
      }
    }
    for (LogSeen log : seen.logs()) {
      Instant clean = log.lastClean().plus(policy.cleanInterval());
      if (log.trimmed() && !clean.isAfter(seen.now())) {
        return new Plan(Optional.of(new Action.Clean(log.log())), null);
      }
      next = log.trimmed() ? earlier(next, clean) : next;
    }
    return new Plan(Optional.empty(), next);
  }

  private Instant due(TableSeen table) {
    Instant due =
        policy
            .materialize()
            .dueAt(table.waiting(), table.lastCycle())
            .orElseThrow(() -> new IllegalArgumentException("nothing waits: " + table));
    return table.notBefore() == null ? due : later(due, table.notBefore());
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  private static Instant earlier(@Nullable Instant a, Instant b) {
    return a == null || b.isBefore(a) ? b : a;
  }
}
