package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;

/// What processes do that work on parts of a cycle which another one has planned and commits.
///
/// Rows of an append-only table: each process writes some blocks ([#append]). Rows of a keyed one:
///
/// 1. Each process sorts some consecutive blocks, and cuts them by key range ([#sort]).
/// 2. The runs of each range come together at one process, which merges them, looks for old rows,
///    and writes ([#upsert]).
///
/// Each step may be done again, at another place or twice at once: it depends on nothing but its
/// arguments, and writes under names of its own. Used by one thread.
public final class RemoteWork {
  private final Table planned;
  private final LogReader log;
  private final KeyColumns key;
  private final PartServices services;
  private final PartWork work;

  /// @param planned the table as it was when the cycle was planned
  public RemoteWork(Table planned, LogReader log, PartServices services) {
    this.planned = planned;
    this.log = log;
    this.key = KeyColumns.of(planned.schema());
    this.services = services;
    this.work = new PartWork(planned, log, services);
  }

  /// Writes blocks of an append-only table.
  ///
  /// @param blocks as many as fit in memory
  /// @param fileName a part of file names that nothing else uses
  public PartResult.Sent append(List<BlockRef> blocks, String fileName) {
    return work.append(List.of(blocks), fileName).toSend();
  }

  /// Sorts blocks of a keyed table.
  ///
  /// @param blocks as many as fit in memory
  /// @param number of these blocks: later ones have higher ones
  /// @param groups how many such numbers there are
  /// @return a run for each range that has a key
  public Map<Integer, RunBytes> sort(
      List<BlockRef> blocks, int number, int groups, KeyRanges ranges) {
    Map<Integer, RunBytes> runs = new LinkedHashMap<>();
    try (SortedRows rows =
        MemoryRows.read(log, blocks, planned.schema(), key, services.allocator())) {
      if (!rows.next()) {
        return runs;
      }
      KeyVector keys = rows.chunk().keys();
      long batchBytes = SpilledRows.batchBytes(services.config(), groups);
      int from = 0;
      int[] ends = ranges.ends(keys);
      for (int range = 0; range < ends.length; range++) {
        if (from < ends[range]) {
          runs.put(
              range, Run.bytes(number, rows, from, ends[range], batchBytes, services.allocator()));
        }
        from = ends[range];
      }
      return runs;
    }
  }

  /// Does a task with the rows of one range.
  ///
  /// @param runs of the range, in any order; one is in memory at a time
  /// @param truncated whether all rows that the table held before the cycle are gone
  /// @param now the table whose files may have old rows
  /// @param fileName a part of file names that nothing else uses
  public PartResult.Sent upsert(
      Iterator<RunBytes> runs, boolean truncated, PartTask task, Table now, String fileName) {
    try (SortedRows rows = SpilledRows.of(services, key, runs, truncated)) {
      return work.upsert(rows, task, now, fileName).toSend();
    }
  }
}
