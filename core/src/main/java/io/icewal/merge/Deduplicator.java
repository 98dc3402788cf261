package io.icewal.merge;

import io.icewal.model.BlockKind;
import io.icewal.model.RowOp;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the newest row of each key over a stretch of a table's log. Rows are added in log order; a
/// later row of a key wins over an earlier one.
///
/// 1. [#add] collects encoded keys and what their rows mean.
/// 2. [#truncate] forgets what came before.
/// 3. [#finish] joins all keys, sorts them stably and takes the last row of each run of equal keys.
///
/// A key that was deleted and then upserted again is *reborn*: its new row is another row than the
/// one that a table may hold, though both have the same key. That bit makes row ids independent of
/// where one stretch of the log ended and the next began.
///
/// Used by one thread; the survivors share nothing with it.
public final class Deduplicator {
  /// @param chosen the rows that the keys are of; null for all
  private record Batch(
      KeyVector keys, int source, BlockKind kind, byte @Nullable [] ops, int @Nullable [] chosen) {
    int row(int i) {
      return chosen == null ? i : chosen[i];
    }

    boolean isDelete(int i) {
      return ops == null ? kind == BlockKind.DELETE : ops[row(i)] == RowOp.DELETE;
    }

    boolean mayDelete() {
      return kind != BlockKind.UPSERT;
    }
  }

  private final List<Batch> batches = new ArrayList<>();
  private boolean truncated;
  private long rows;

  /// Adds a batch after all earlier ones.
  ///
  /// @param source the caller's number for the batch; rising from call to call
  /// @param kind UPSERT, DELETE or MIXED
  /// @param ops one [RowOp] a row for MIXED; null else
  public void add(KeyVector keys, int source, BlockKind kind, byte @Nullable [] ops) {
    check(keys, kind, ops);
    add(new Batch(keys, source, kind, ops, null));
  }

  /// [#add] for some rows of a batch alone.
  ///
  /// @param chosen the rows, ascending
  public void addSome(
      KeyVector keys, int source, BlockKind kind, byte @Nullable [] ops, int[] chosen) {
    check(keys, kind, ops);
    add(new Batch(keys.gather(chosen), source, kind, ops, chosen));
  }

  private static void check(KeyVector keys, BlockKind kind, byte @Nullable [] ops) {
    boolean hasRows =
        kind == BlockKind.UPSERT || kind == BlockKind.DELETE || kind == BlockKind.MIXED;
    if (!hasRows || (kind == BlockKind.MIXED) != (ops != null)) {
      throw new IllegalArgumentException("ops are given if and only if MIXED, got " + kind);
    }
    if (ops != null && ops.length != keys.size()) {
      throw new IllegalArgumentException(ops.length + " ops for " + keys.size() + " keys");
    }
  }

  private void add(Batch batch) {
    rows = Math.addExact(rows, batch.keys.size());
    if (batch.keys.size() > 0) {
      batches.add(batch);
    }
  }

  /// All rows before this point are gone, those of the table too.
  public void truncate() {
    batches.clear();
    truncated = true;
  }

  /// Rows added so far, also those that a truncation removed.
  public long rows() {
    return rows;
  }

  /// The newest row of each key, sorted by key.
  public Survivors finish() {
    if (batches.isEmpty()) {
      return new Survivors(
          KeyVector.ofPrefixes(new long[0]),
          new int[0],
          new int[0],
          new BitSet(),
          new BitSet(),
          truncated);
    }
    KeyVector all = KeyVector.concat(batches.stream().map(Batch::keys).toList());
    int[] order = all.sort();
    int[] batchOf = new int[all.size()];
    int[] starts = starts(batchOf);
    return !truncated && batches.stream().noneMatch(Batch::mayDelete)
        ? survivors(all, last(all, order), batchOf, starts, new BitSet(), new BitSet())
        : pick(all, order, batchOf, starts);
  }

  /// The last row of each run of equal keys: all that there is to find where nothing is deleted.
  private static int[] last(KeyVector all, int[] order) {
    int[] winners = new int[order.length];
    int count = 0;
    for (int i = 0; i < order.length; i++) {
      if (i + 1 == order.length || !all.sameKey(order[i], all, order[i + 1])) {
        winners[count++] = order[i];
      }
    }
    return java.util.Arrays.copyOf(winners, count);
  }

  private int[] starts(int[] batchOf) {
    int[] starts = new int[batches.size()];
    int next = 0;
    for (int b = 0; b < starts.length; b++) {
      starts[b] = next;
      int end = next + batches.get(b).keys().size();
      java.util.Arrays.fill(batchOf, next, end, b);
      next = end;
    }
    return starts;
  }

  private Survivors pick(KeyVector all, int[] order, int[] batchOf, int[] starts) {
    int[] winners = new int[order.length];
    BitSet deletes = new BitSet();
    BitSet reborn = new BitSet();
    int count = 0;
    boolean deletedBefore = truncated;
    for (int i = 0; i < order.length; i++) {
      int row = order[i];
      boolean delete = batches.get(batchOf[row]).isDelete(row - starts[batchOf[row]]);
      if (i + 1 < order.length && all.sameKey(row, all, order[i + 1])) {
        deletedBefore |= delete;
        continue;
      }
      deletes.set(count, delete);
      reborn.set(count, !delete && deletedBefore);
      winners[count++] = row;
      deletedBefore = truncated;
    }
    return survivors(
        all, java.util.Arrays.copyOf(winners, count), batchOf, starts, deletes, reborn);
  }

  private Survivors survivors(
      KeyVector all, int[] winners, int[] batchOf, int[] starts, BitSet deletes, BitSet reborn) {
    int[] sources = new int[winners.length];
    int[] rowsInSource = new int[winners.length];
    for (int i = 0; i < winners.length; i++) {
      int batch = batchOf[winners[i]];
      sources[i] = batches.get(batch).source();
      rowsInSource[i] = batches.get(batch).row(winners[i] - starts[batch]);
    }
    return new Survivors(all.gather(winners), sources, rowsInSource, deletes, reborn, truncated);
  }
}
