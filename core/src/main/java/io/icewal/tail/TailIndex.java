package io.icewal.tail;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.merge.Survivors;
import io.icewal.model.IcewalException;
import io.icewal.parquet.ArrowRows;
import io.icewal.wal.BlockRef;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/// The newest row of each key of a tail, or of those keys that a query wants. Read from the key
/// parts of its blocks alone. On the heap; immutable; thread-safe.
public final class TailIndex {
  /// One record batch of a block.
  ///
  /// @param block index in [Tail#blocks]
  /// @param root index among the roots of the block's parts
  public record Source(int block, int root) {}

  /// Where a range has more than one of so many rows, all of them serve the next queries, too.
  private static final int ROWS_A_WANTED_ONE_MIN = 8;

  private static final int SOURCE_BYTES = 24;
  private static final int BLOCK_BYTES = 1024;
  private static final int INDEX_BYTES = 500;

  private final Tail tail;
  private final Survivors survivors;
  private final List<Source> sources;

  private TailIndex(Tail tail, Survivors survivors, List<Source> sources) {
    this.tail = tail;
    this.survivors = survivors;
    this.sources = List.copyOf(sources);
  }

  /// Reads the keys of a tail.
  ///
  /// @param key the table's key, with its current types
  /// @param allocator for the keys of one block at a time
  /// @throws IcewalException INVALID if a block was written under another key; CONFLICT if the tail
  ///   can no longer be read: a new cut is needed
  public static TailIndex of(Tail tail, KeyColumns key, BufferAllocator allocator) {
    IndexCache.TableKey cacheKey = cacheKey(tail, key);
    TailIndex known = tail.indexes().find(cacheKey);
    if (known != null && known.covers(tail)) {
      return new TailIndex(tail, known.survivors, known.sources);
    }
    TailIndex index =
        known != null && tail.beginsWith(known.tail)
            ? known.extended(tail, key, allocator)
            : ofAll(tail, key, allocator);
    tail.indexes().put(cacheKey, index);
    return index;
  }

  /// The index of those keys that are in a range, at least. Few keys are neither sorted with the
  /// others nor kept for the next query, which finds the blocks' keys in memory.
  public static TailIndex of(Tail tail, KeyColumns key, KeyRange range, BufferAllocator allocator) {
    TailIndex known = tail.indexes().find(cacheKey(tail, key));
    long rows = liveRows(tail);
    if (!range.equals(KeyRange.ALL)
        && (known == null || !tail.beginsWith(known.tail))
        && tail.keys().hasRoomFor(rows)) {
      BlockKeys keys = new BlockKeys(tail, key, allocator, List.of());
      if (keys.addFew(range, rows / ROWS_A_WANTED_ONE_MIN)) {
        return new TailIndex(tail, keys.newest(), keys.sources());
      }
    }
    return of(tail, key, allocator);
  }

  private static long liveRows(Tail tail) {
    return tail.blocks().stream().skip(tail.firstLive()).mapToLong(BlockRef::rows).sum();
  }

  private static IndexCache.TableKey cacheKey(Tail tail, KeyColumns key) {
    return new IndexCache.TableKey(tail.tableId(), key.keySchema().toString());
  }

  private static TailIndex ofAll(Tail tail, KeyColumns key, BufferAllocator allocator) {
    BlockKeys keys = new BlockKeys(tail, key, allocator, List.of());
    keys.addAll();
    return new TailIndex(tail, keys.newest(), keys.sources());
  }

  private boolean covers(Tail other) {
    return other.beginsWith(tail) && other.blocks().size() == tail.blocks().size();
  }

  /// The index of a tail that begins with this one's.
  private TailIndex extended(Tail longer, KeyColumns key, BufferAllocator allocator) {
    BlockKeys keys = new BlockKeys(longer, key, allocator, sources);
    keys.addAfter(tail.blocks().size());
    return new TailIndex(longer, survivors.then(keys.newest()), keys.sources());
  }

  /// Bytes of heap that it takes, with its tail, which it keeps from being collected.
  long heapBytes() {
    return INDEX_BYTES
        + survivors.heapBytes()
        + (long) SOURCE_BYTES * sources.size()
        + (long) BLOCK_BYTES * tail.blocks().size();
  }

  public Tail tail() {
    return tail;
  }

  /// The newest rows, sorted by key; their sources are indexes in [#sources].
  public Survivors survivors() {
    return survivors;
  }

  public List<Source> sources() {
    return sources;
  }

  /// The block of a source.
  public BlockRef block(int source) {
    return tail.blocks().get(sources.get(source).block());
  }

  /// The key columns of the newest rows, in the order of the survivors; the caller closes them.
  public VectorSchemaRoot keyRows(KeyColumns key, BufferAllocator allocator) {
    RowsBySource bySource = RowsBySource.of(survivors, sources.size(), null);
    int[] part = new int[survivors.size()];
    int[] rowInPart = new int[survivors.size()];
    List<VectorSchemaRoot> parts = new ArrayList<>();
    try {
      for (int source = 0; source < sources.size(); ) {
        int block = sources.get(source).block();
        int end = source;
        long rows = 0;
        while (end < sources.size() && sources.get(end).block() == block) {
          rows += bySource.count(end++);
        }
        if (rows > 0) {
          try (TailColumns columns =
              TailColumns.read(tail, block(source), key.keySchema(), allocator)) {
            for (int i = source; i < end; i++) {
              int[] entries = bySource.survivors(i);
              for (int k = 0; k < entries.length; k++) {
                part[entries[k]] = parts.size();
                rowInPart[entries[k]] = k;
              }
              parts.add(columns.rows(sources.get(i).root(), bySource.rows(i)));
            }
          }
        }
        source = end;
      }
      return ArrowRows.gather(parts, part, rowInPart, 0, part.length, allocator);
    } finally {
      parts.forEach(VectorSchemaRoot::close);
    }
  }
}
