package io.icewal.runner;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Materializes everything that was acknowledged before it starts, trims and cleans, and ends.
public final class CatchUp {
  /// One table.
  ///
  /// @param error null if it went well
  public record TableResult(UUID tableId, String name, long position, @Nullable String error) {}

  /// Conflicts with other runners and other engines are to be expected; this many in a row are not.
  private static final int ATTEMPTS_MAX = 20;

  private final Reconciler reconciler;
  private final Faults faults;
  private final MaintenancePolicy policy;
  private final InstantSource clock;

  CatchUp(Reconciler reconciler, Faults faults, MaintenancePolicy policy, InstantSource clock) {
    this.reconciler = reconciler;
    this.faults = faults;
    this.policy = policy;
    this.clock = clock;
  }

  /// @return the tables that had something waiting
  /// @throws IcewalException if a log cannot be read; the others are done before
  public List<TableResult> run() {
    List<TableResult> results = new ArrayList<>();
    IcewalException failure = null;
    for (LogView view : reconciler.views()) {
      try {
        run(view, results);
      } catch (IcewalException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return results;
  }

  private void run(LogView view, List<TableResult> results) {
    look(view);
    long end = view.end();
    for (TableWork table : List.copyOf(view.tables())) {
      long target = table.lastWaiting(end);
      if (target > 0) {
        results.add(materialize(view, table, target));
      }
    }
    reconciler.trim(view);
    reconciler.clean(view);
  }

  /// The boundary may move under a look; then it begins again.
  private void look(LogView view) {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      view.look(clock.instant());
      if (view.isCurrent()) {
        return;
      }
    }
    throw new IcewalException(
        ErrorKind.UNAVAILABLE,
        "the boundary of log " + view.log() + " moves faster than it can be read");
  }

  private TableResult materialize(LogView view, TableWork table, long target) {
    int failures = 0;
    while (table.position() < target && failures < ATTEMPTS_MAX) {
      long before = table.position();
      boolean well = reconciler.materialize(view, table.tableId());
      if (!well && table.isToPark(clock.instant(), policy)) {
        break;
      }
      failures = well && table.position() > before ? 0 : failures + 1;
    }
    String error = faults.lastError(table.tableId());
    if (table.position() < target && error == null) {
      error = "position " + table.position() + " does not reach " + target;
    }
    return new TableResult(table.tableId(), table.name(), table.position(), error);
  }
}
