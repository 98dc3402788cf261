package io.icewal.spark.procedures;

import io.icewal.table.TablePosition;
import java.util.HashSet;
import java.util.Set;
import org.apache.iceberg.HistoryEntry;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/// What main has been since a table is icewal's: only rows of these snapshots went through the log,
/// or were looked at when the table was adopted, so that each key is there once.
final class OwnHistory {
  private OwnHistory() {}

  /// Why main must not become a snapshot; null if it may.
  static @Nullable String whyForeign(Table table, long snapshotId) {
    if (table.snapshot(snapshotId) == null) {
      return null; // Iceberg refuses it.
    }
    Set<Long> main = ancestors(table, table.currentSnapshot());
    Set<Long> before = new HashSet<>(main);
    for (HistoryEntry entry : table.history()) {
      before.addAll(ancestors(table, table.snapshot(entry.snapshotId())));
    }
    if (!before.contains(snapshotId)) {
      return "it was never the state of main: nobody has looked at its keys";
    }
    Set<Long> its = ancestors(table, table.snapshot(snapshotId));
    if (its.stream().noneMatch(main::contains)) {
      return "it has no snapshot in common with main: it is from before the table was replaced";
    }
    return isBeforeAdoption(table, its)
        ? "it is from before the table was adopted: nobody has looked at its keys"
        : null;
  }

  private static Set<Long> ancestors(Table table, @Nullable Snapshot snapshot) {
    return snapshot == null
        ? Set.of()
        : new HashSet<>(SnapshotUtil.ancestorIds(snapshot, table::snapshot));
  }

  /// Whether all of a history is there and none of it has a position.
  private static boolean isBeforeAdoption(Table table, Set<Long> history) {
    boolean whole = false;
    for (long id : history) {
      Snapshot snapshot = table.snapshot(id);
      if (snapshot != null && snapshot.summary().containsKey(TablePosition.SUMMARY)) {
        return false;
      }
      whole |= snapshot != null && snapshot.parentId() == null;
    }
    return whole;
  }
}
