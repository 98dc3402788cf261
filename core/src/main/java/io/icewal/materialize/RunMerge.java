package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.merge.Survivors;
import io.icewal.parquet.ArrowRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/// Merges sorted runs by key, chunk by chunk; of equal keys the newest run's row survives.
///
/// 1. A cursor stands in one batch of each run; the one with the smallest key comes first.
/// 2. A batch that its cursor has left is kept while the chunk refers to it.
/// 3. When these batches take too much memory, the rows that survived are copied out of them, and
///    they are freed: where keys repeat from run to run, most of their rows did not survive.
/// 4. A chunk ends when it is full of rows or of bytes.
///
/// Used by one thread.
final class RunMerge implements AutoCloseable {
  /// Keys of a chunk at most: chunks are files.
  private static final int CHUNK_ROWS_MAX = 1 << 20;

  /// Survivors and the batches that they are in.
  ///
  /// @param keyRowNumbers where each key is in its batch's key rows
  record Chunk(Survivors survivors, List<Run.Batch> batches, int[] keyRowNumbers) {}

  private final boolean truncated;
  private final long bytesMax;
  private final BufferAllocator allocator;
  private final List<Cursor> cursors = new ArrayList<>();
  private final PriorityQueue<Cursor> queue = new PriorityQueue<>();

  /// What the chunk refers to and no cursor stands in.
  private final List<Run.Batch> held = new ArrayList<>();

  private long heldBytes;

  /// What was copied out of batches for the chunk.
  private final List<Run.Batch> copied = new ArrayList<>();

  private long copiedBytes;

  /// @param truncated whether all rows of the table before the runs are gone
  /// @param bytesMax what batches that were left may take, and what a chunk may
  RunMerge(
      List<Run> runs, KeyColumns key, boolean truncated, long bytesMax, BufferAllocator allocator) {
    this.truncated = truncated;
    this.bytesMax = bytesMax;
    this.allocator = allocator;
    try (Undo undo = new Undo(this::close)) {
      for (int i = 0; i < runs.size(); i++) {
        Cursor cursor = new Cursor(i, runs.get(i).open(key, allocator));
        cursors.add(cursor);
        cursor.load();
        enqueue(cursor);
      }
      undo.keep();
    }
  }

  /// The next chunk, which ends the life of the one before; null at the end.
  @Nullable Chunk next() {
    release();
    return queue.isEmpty() ? null : new Merge().chunk();
  }

  private void enqueue(Cursor cursor) {
    if (cursor.batch != null) {
      queue.add(cursor);
    }
  }

  private void releaseHeld() {
    held.forEach(Run.Batch::close);
    held.clear();
    heldBytes = 0;
  }

  private void release() {
    releaseHeld();
    copied.forEach(Run.Batch::close);
    copied.clear();
    copiedBytes = 0;
  }

  @Override
  public void close() {
    release();
    queue.clear();
    cursors.forEach(Cursor::close);
    cursors.clear();
  }

  /// Where the merge stands in one run. Ordered by key; of equal keys the older run comes first.
  private static final class Cursor implements Comparable<Cursor>, AutoCloseable {
    private final int run;
    private final Run.Reader reader;
    private Run.@Nullable Batch batch;
    private int row;

    Cursor(int run, Run.Reader reader) {
      this.run = run;
      this.reader = reader;
    }

    void load() {
      batch = reader.next();
      row = 0;
    }

    Run.Batch batch() {
      if (batch == null) {
        throw new IllegalStateException("run " + run + " has ended");
      }
      return batch;
    }

    /// Moves on.
    ///
    /// @return the batch that it has left, which is the caller's now; null if it is still in it
    Run.@Nullable Batch advance() {
      Run.Batch current = batch();
      row++;
      if (row < current.keys().size()) {
        return null;
      }
      Run.Batch next = reader.next(); // If this fails, the current one is still the cursor's.
      batch = next;
      row = 0;
      return current;
    }

    @Override
    public int compareTo(Cursor other) {
      int order = batch().keys().compare(row, other.batch().keys(), other.row);
      return order != 0 ? order : Integer.compare(run, other.run);
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    @Override
    public void close() {
      if (batch != null) {
        batch.close();
        batch = null;
      }
      reader.close();
    }
  }

  /// Makes one chunk.
  private final class Merge {
    private List<Run.Batch> batches = new ArrayList<>();
    private final Map<Run.Batch, Integer> numbers = new IdentityHashMap<>();
    private int[] sources = new int[1024];
    private int[] rows = new int[1024];
    private int[] keyRowNumbers = new int[1024];
    private final BitSet deletes = new BitSet();
    private final BitSet reborn = new BitSet();
    private int count;
    private int copiedCount;

    Chunk chunk() {
      boolean deletedBefore = false;
      while (!queue.isEmpty()) {
        Cursor cursor = queue.remove();
        Run.Batch batch = cursor.batch();
        int row = cursor.row;
        Run.Batch left = cursor.advance();
        enqueue(cursor);
        Cursor after = queue.peek();
        boolean newer = after != null && after.batch().keys().sameKey(after.row, batch.keys(), row);
        if (newer) {
          deletedBefore |= batch.isDelete(row) || batch.isReborn(row);
        } else {
          take(batch, row, deletedBefore);
          deletedBefore = false;
        }
        if (left != null) {
          leave(left);
        }
        if (!newer && isFull()) {
          break;
        }
      }
      return new Chunk(survivors(), List.copyOf(batches), Arrays.copyOf(keyRowNumbers, count));
    }

    private boolean isFull() {
      if (heldBytes > bytesMax) {
        copyOut();
      }
      return count == CHUNK_ROWS_MAX || copiedBytes > bytesMax;
    }

    private void leave(Run.Batch left) {
      if (numbers.containsKey(left)) {
        held.add(left);
        heldBytes += left.bytes();
      } else {
        left.close();
      }
    }

    private void take(Run.Batch batch, int row, boolean deletedBefore) {
      ensure();
      boolean delete = batch.isDelete(row);
      sources[count] = number(batch);
      rows[count] = delete ? 0 : batch.ranks()[row];
      keyRowNumbers[count] = row;
      deletes.set(count, delete);
      reborn.set(count, !delete && (deletedBefore || truncated || batch.isReborn(row)));
      count++;
    }

    private void ensure() {
      if (count == sources.length) {
        sources = Arrays.copyOf(sources, 2 * count);
        rows = Arrays.copyOf(rows, 2 * count);
        keyRowNumbers = Arrays.copyOf(keyRowNumbers, 2 * count);
      }
    }

    private int number(Run.Batch batch) {
      Integer known = numbers.get(batch);
      if (known != null) {
        return known;
      }
      numbers.put(batch, batches.size());
      batches.add(batch);
      return batches.size() - 1;
    }

    /// Copies what survived since the last time into a batch of its own and frees the batches that
    /// were left.
    private void copyOut() {
      int[] upsertSources = new int[count - copiedCount];
      int[] upsertRows = new int[count - copiedCount];
      int[] ranks = new int[count - copiedCount];
      int upserts = 0;
      for (int i = copiedCount; i < count; i++) {
        ranks[i - copiedCount] = upserts;
        if (!deletes.get(i)) {
          upsertSources[upserts] = sources[i];
          upsertRows[upserts++] = rows[i];
        }
      }
      KeyVector keys = keys(copiedCount, count);
      VectorSchemaRoot keyRows =
          ArrowRows.gather(
              batches.stream().map(Run.Batch::keyRows).toList(),
              sources,
              keyRowNumbers,
              copiedCount,
              count,
              allocator);
      VectorSchemaRoot copiedRows;
      try (Undo undo = new Undo(keyRows::close)) {
        copiedRows =
            ArrowRows.gather(
                batches.stream().map(Run.Batch::rows).toList(),
                upsertSources,
                upsertRows,
                0,
                upserts,
                allocator);
        undo.keep();
      }
      Run.Batch copy = new Run.Batch(keyRows, keys, new byte[ranks.length], copiedRows, ranks);
      copied.add(copy);
      copiedBytes += copy.bytes();
      for (int i = copiedCount; i < count; i++) {
        sources[i] = copied.size() - 1;
        keyRowNumbers[i] = i - copiedCount;
        rows[i] = deletes.get(i) ? 0 : ranks[i - copiedCount];
      }
      copiedCount = count;
      batches = new ArrayList<>(copied);
      numbers.clear();
      releaseHeld();
    }

    /// The keys of the survivors `from` to `to` (exclusive).
    private KeyVector keys(int from, int to) {
      int[] starts = new int[batches.size()];
      for (int b = 1; b < starts.length; b++) {
        starts[b] = Math.addExact(starts[b - 1], batches.get(b - 1).keys().size());
      }
      int[] picked = new int[to - from];
      for (int i = from; i < to; i++) {
        picked[i - from] = starts[sources[i]] + keyRowNumbers[i];
      }
      return KeyVector.concat(batches.stream().map(Run.Batch::keys).toList()).gather(picked);
    }

    private Survivors survivors() {
      return new Survivors(
          keys(0, count),
          Arrays.copyOf(sources, count),
          Arrays.copyOf(rows, count),
          deletes,
          reborn,
          truncated);
    }
  }
}
