package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.merge.Survivors;
import io.icewal.parquet.ArrowRows;
import io.icewal.tail.Tail;
import io.icewal.wal.BlockRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// Blocks that do not fit in memory together.
///
/// 1. Consecutive blocks that do fit are sorted as [MemoryRows] and written as a [Run]; a
///    truncation drops the runs before it.
/// 2. All runs are merged by key; of equal keys the newest run's row survives.
/// 3. The merge is cut into chunks; a chunk holds the batches that its rows come from.
///
/// Its files are in a folder of their own, which is removed at the end.
final class SpilledRows implements SortedRows {
  /// Keys of a chunk: large enough that looking for old rows goes through each file in long
  /// strides.
  private static final int CHUNK_ROWS = 65_536;

  private final Path folder;
  private final List<Run> runs;
  private final boolean truncated;
  private final KeyColumns key;
  private final BufferAllocator allocator;
  private final List<Cursor> cursors = new ArrayList<>();
  private final PriorityQueue<Cursor> queue = new PriorityQueue<>();
  private final List<Run.Batch> held = new ArrayList<>();
  private @Nullable Chunk chunk;
  private @Nullable VectorSchemaRoot keyRows;

  /// The current chunk.
  ///
  /// @param keyRowNumbers where each key is in its batch's key rows
  private record Chunk(Survivors survivors, List<Run.Batch> batches, int[] keyRowNumbers) {}

  private SpilledRows(
      Path folder, List<Run> runs, boolean truncated, KeyColumns key, BufferAllocator allocator) {
    this.folder = folder;
    this.runs = runs;
    this.truncated = truncated;
    this.key = key;
    this.allocator = allocator;
    rewind();
  }

  static SpilledRows read(
      Cycle.Services services, Schema schema, KeyColumns key, Tail tail, List<BlockRef> blocks) {
    Path folder = createFolder(services.config().spillFolder());
    try {
      List<Run> runs = new ArrayList<>();
      boolean truncated = false;
      int number = 0;
      for (List<BlockRef> group : SortedTail.groups(blocks, services.config().cycleBytesMax())) {
        try (SortedRows rows = MemoryRows.read(tail, group, schema, key, services.allocator())) {
          if (rows.truncated()) {
            runs.clear();
            truncated = true;
          }
          if (rows.next() && rows.chunk().size() > 0) {
            runs.add(Run.write(folder, number++, rows, services.allocator()));
          }
        }
      }
      return new SpilledRows(folder, runs, truncated, key, services.allocator());
    } catch (RuntimeException e) {
      deleteFolder(folder);
      throw e;
    }
  }

  @Override
  public boolean truncated() {
    return truncated;
  }

  @Override
  public void rewind() {
    release();
    closeCursors();
    for (int i = 0; i < runs.size(); i++) {
      Cursor cursor = new Cursor(i, runs.get(i).open(key, allocator));
      cursors.add(cursor);
      if (cursor.load()) {
        queue.add(cursor);
      }
    }
  }

  @Override
  public boolean next() {
    release();
    if (queue.isEmpty()) {
      return false;
    }
    chunk = new Merge().chunk();
    return true;
  }

  @Override
  public Survivors chunk() {
    return current().survivors();
  }

  @Override
  public VectorSchemaRoot keyRows() {
    if (keyRows == null) {
      Chunk now = current();
      keyRows =
          ArrowRows.gather(
              now.batches().stream().map(Run.Batch::keyRows).toList(),
              now.survivors().sources(),
              now.keyRowNumbers(),
              0,
              now.survivors().size(),
              allocator);
    }
    return keyRows;
  }

  @Override
  public List<VectorSchemaRoot> sources() {
    return current().batches().stream().map(Run.Batch::rows).toList();
  }

  private Chunk current() {
    if (chunk == null) {
      throw new IllegalStateException("no chunk: next() was not called or was false");
    }
    return chunk;
  }

  /// Frees the chunk, and the batches that no cursor stands in any more.
  private void release() {
    chunk = null;
    if (keyRows != null) {
      keyRows.close();
      keyRows = null;
    }
    held.forEach(Run.Batch::close);
    held.clear();
  }

  private void closeCursors() {
    queue.clear();
    cursors.forEach(Cursor::close);
    cursors.clear();
  }

  @Override
  public void close() {
    release();
    closeCursors();
    deleteFolder(folder);
  }

  private static Path createFolder(Path parent) {
    try {
      return Files.createTempDirectory(Files.createDirectories(parent), "icewal-runs-");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create a folder for sorted runs in " + parent, e);
    }
  }

  private static void deleteFolder(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove sorted runs in " + folder, e);
    }
  }

  /// Where the merge stands in one run. Ordered by key; of equal keys the older run comes first.
  private final class Cursor implements Comparable<Cursor>, AutoCloseable {
    private final int run;
    private final Run.Reader reader;
    private Run.@Nullable Batch batch;
    private int row;

    Cursor(int run, Run.Reader reader) {
      this.run = run;
      this.reader = reader;
    }

    boolean load() {
      batch = reader.next();
      row = 0;
      return batch != null;
    }

    Run.Batch batch() {
      if (batch == null) {
        throw new IllegalStateException("run " + run + " has ended");
      }
      return batch;
    }

    /// Moves on; the batch it leaves is held until the chunk ends.
    boolean advance() {
      row++;
      if (row < batch().keys().size()) {
        return true;
      }
      held.add(batch());
      return load();
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
    private final List<Run.Batch> batches = new ArrayList<>();
    private final Map<Run.Batch, Integer> numbers = new IdentityHashMap<>();
    private final int[] sources = new int[CHUNK_ROWS];
    private final int[] rows = new int[CHUNK_ROWS];
    private final int[] keyRowNumbers = new int[CHUNK_ROWS];
    private final BitSet deletes = new BitSet();
    private final BitSet reborn = new BitSet();
    private int count;

    Chunk chunk() {
      boolean deletedBefore = false;
      while (!queue.isEmpty() && count < CHUNK_ROWS) {
        Cursor cursor = queue.remove();
        Run.Batch batch = cursor.batch();
        int row = cursor.row;
        boolean more = cursor.advance();
        if (more) {
          queue.add(cursor);
        }
        boolean gone = batch.isDelete(row) || batch.isReborn(row);
        Cursor after = queue.peek();
        if (after != null && after.batch().keys().sameKey(after.row, batch.keys(), row)) {
          deletedBefore |= gone;
          continue;
        }
        take(batch, row, deletedBefore);
        deletedBefore = false;
      }
      return new Chunk(survivors(), batches, Arrays.copyOf(keyRowNumbers, count));
    }

    private void take(Run.Batch batch, int row, boolean deletedBefore) {
      boolean delete = batch.isDelete(row);
      sources[count] = number(batch);
      rows[count] = delete ? 0 : batch.ranks()[row];
      keyRowNumbers[count] = row;
      deletes.set(count, delete);
      reborn.set(count, !delete && (deletedBefore || truncated || batch.isReborn(row)));
      count++;
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

    private Survivors survivors() {
      int[] starts = new int[batches.size()];
      for (int b = 1; b < starts.length; b++) {
        starts[b] = starts[b - 1] + batches.get(b - 1).keys().size();
      }
      int[] picked = new int[count];
      for (int i = 0; i < count; i++) {
        picked[i] = starts[sources[i]] + keyRowNumbers[i];
      }
      KeyVector keys =
          KeyVector.concat(batches.stream().map(Run.Batch::keys).toList()).gather(picked);
      return new Survivors(
          keys,
          Arrays.copyOf(sources, count),
          Arrays.copyOf(rows, count),
          deletes,
          reborn,
          truncated);
    }
  }
}
