package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.Survivors;
import io.icewal.parquet.ArrowRows;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// Blocks that do not fit in memory together.
///
/// 1. Consecutive blocks that do fit are sorted as [MemoryRows] and written as a [Run]; a
///    truncation drops the runs before it.
/// 2. All runs are merged by key in chunks ([RunMerge]).
///
/// A cycle's bytes bound three things: what is sorted at once, what all runs have in memory while
/// they are merged, and what a chunk holds. Its files are in a folder of their own, which is
/// removed at the end.
final class SpilledRows implements SortedRows {
  /// A batch of a run at least: reading less at a time costs more than it holds.
  private static final long BATCH_BYTES_MIN = 16 << 10;

  private final Path folder;
  private final List<Run> runs;
  private final boolean truncated;
  private final KeyColumns key;
  private final PartServices services;
  private RunMerge merge;
  private RunMerge.@Nullable Chunk chunk;
  private @Nullable VectorSchemaRoot keyRows;

  private SpilledRows(
      Path folder, List<Run> runs, boolean truncated, KeyColumns key, PartServices services) {
    this.folder = folder;
    this.runs = runs;
    this.truncated = truncated;
    this.key = key;
    this.services = services;
    this.merge = merge();
  }

  private RunMerge merge() {
    return new RunMerge(
        runs, key, truncated, services.config().cycleBytesMax(), services.allocator());
  }

  static SpilledRows read(
      PartServices services, Schema schema, KeyColumns key, LogReader log, List<BlockRef> blocks) {
    Path folder = createFolder(services.config().spillFolder());
    try (Undo undo = new Undo(() -> deleteFolder(folder))) {
      List<Run> runs = new ArrayList<>();
      boolean truncated = false;
      int number = 0;
      long bytesMax = services.config().cycleBytesMax();
      List<List<BlockRef>> groups = SortedTail.groups(blocks, bytesMax);
      long batchBytes = batchBytes(services.config(), groups.size());
      for (List<BlockRef> group : groups) {
        try (SortedRows sorted = MemoryRows.read(log, group, schema, key, services.allocator())) {
          if (sorted.truncated()) {
            runs.clear();
            truncated = true;
          }
          if (sorted.next() && sorted.chunk().size() > 0) {
            runs.add(Run.write(folder, number++, sorted, batchBytes, services.allocator()));
          }
        }
      }
      SpilledRows rows = new SpilledRows(folder, runs, truncated, key, services);
      undo.keep();
      return rows;
    }
  }

  /// Runs that other processes sorted.
  ///
  /// @param sorted in any order; each is gone from memory before the next one is taken
  static SpilledRows of(
      PartServices services, KeyColumns key, Iterator<RunBytes> sorted, boolean truncated) {
    Path folder = createFolder(services.config().spillFolder());
    try (Undo undo = new Undo(() -> deleteFolder(folder))) {
      TreeMap<Integer, Run> runs = new TreeMap<>();
      while (sorted.hasNext()) {
        RunBytes bytes = sorted.next();
        runs.put(bytes.number(), Run.of(folder, bytes));
      }
      SpilledRows rows =
          new SpilledRows(folder, List.copyOf(runs.values()), truncated, key, services);
      undo.keep();
      return rows;
    }
  }

  /// What a batch of a run may take in memory, about.
  ///
  /// @param runs how many runs are merged
  static long batchBytes(MaterializeConfig config, int runs) {
    return Math.max(BATCH_BYTES_MIN, config.cycleBytesMax() / runs);
  }

  @Override
  public boolean truncated() {
    return truncated;
  }

  @Override
  public void rewind() {
    release();
    merge.close();
    merge = merge();
  }

  @Override
  public boolean next() {
    release();
    chunk = merge.next();
    return chunk != null;
  }

  @Override
  public Survivors chunk() {
    return current().survivors();
  }

  @Override
  public VectorSchemaRoot keyRows() {
    if (keyRows == null) {
      RunMerge.Chunk now = current();
      keyRows =
          ArrowRows.gather(
              now.batches().stream().map(Run.Batch::keyRows).toList(),
              now.survivors().sources(),
              now.keyRowNumbers(),
              0,
              now.survivors().size(),
              services.allocator());
    }
    return keyRows;
  }

  @Override
  public List<VectorSchemaRoot> sources() {
    return current().batches().stream().map(Run.Batch::rows).toList();
  }

  private RunMerge.Chunk current() {
    if (chunk == null) {
      throw new IllegalStateException("no chunk: next() was not called or was false");
    }
    return chunk;
  }

  /// Ends the life of the chunk.
  private void release() {
    chunk = null;
    if (keyRows != null) {
      keyRows.close();
      keyRows = null;
    }
  }

  @Override
  public void close() {
    release();
    merge.close();
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
}
