package io.icewal.tail;

import io.icewal.merge.Deduplicator;
import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.merge.Survivors;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowOp;
import io.icewal.parquet.ArrowRows;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.BlockRef;
import io.icewal.wal.FrameRows;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;

/// The newest row of each key of a tail, or of those keys that a query wants. Read from the key
/// parts of its blocks alone. On the heap; immutable; thread-safe.
public final class TailIndex {
  /// One record batch of a block.
  ///
  /// @param block index in [Tail#blocks]
  /// @param root index among the roots of the block's parts
  public record Source(int block, int root) {}

  /// A range that has more than this part of a tail's rows is as well served by all of them, which
  /// the next queries can use.
  private static final int FEW = 8;

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
  /// others nor kept for the next query.
  public static TailIndex of(Tail tail, KeyColumns key, KeyRange range, BufferAllocator allocator) {
    TailIndex known = tail.indexes().find(cacheKey(tail, key));
    if (range.equals(KeyRange.ALL) || (known != null && tail.beginsWith(known.tail))) {
      return of(tail, key, allocator);
    }
    Deduplicator newest = new Deduplicator();
    List<Source> sources = new ArrayList<>();
    add(tail, key, range, newest, sources, allocator);
    return newest.rows() > tail.rows() / FEW
        ? of(tail, key, allocator)
        : new TailIndex(tail, newest.finish(), sources);
  }

  private static IndexCache.TableKey cacheKey(Tail tail, KeyColumns key) {
    return new IndexCache.TableKey(tail.tableId(), key.keySchema().toString());
  }

  private static TailIndex ofAll(Tail tail, KeyColumns key, BufferAllocator allocator) {
    Deduplicator newest = new Deduplicator();
    List<Source> sources = new ArrayList<>();
    add(tail, key, KeyRange.ALL, newest, sources, allocator);
    return new TailIndex(tail, newest.finish(), sources);
  }

  private static void add(
      Tail tail,
      KeyColumns key,
      KeyRange range,
      Deduplicator newest,
      List<Source> sources,
      BufferAllocator allocator) {
    if (tail.truncates()) {
      newest.truncate();
    }
    add(tail, tail.firstLive(), key, range, newest, sources, allocator);
  }

  private boolean covers(Tail other) {
    return other.beginsWith(tail) && other.blocks().size() == tail.blocks().size();
  }

  /// The index of a tail that begins with this one's.
  private TailIndex extended(Tail longer, KeyColumns key, BufferAllocator allocator) {
    Deduplicator newest = new Deduplicator();
    List<Source> all = new ArrayList<>(sources);
    add(longer, tail.blocks().size(), key, KeyRange.ALL, newest, all, allocator);
    return new TailIndex(longer, survivors.then(newest.finish()), all);
  }

  private static void add(
      Tail tail,
      int first,
      KeyColumns key,
      KeyRange range,
      Deduplicator newest,
      List<Source> sources,
      BufferAllocator allocator) {
    for (int i = first; i < tail.blocks().size(); i++) {
      BlockRef block = tail.blocks().get(i);
      if (block.header().hasRows() && block.rows() > 0) {
        List<KeyCache.RootKeys> roots = keys(tail, block, key, allocator);
        for (int r = 0; r < roots.size(); r++) {
          KeyCache.RootKeys root = roots.get(r);
          add(root, block.header().kind(), range, sources.size(), newest);
          sources.add(new Source(i, r));
        }
      }
    }
  }

  private static void add(
      KeyCache.RootKeys root, BlockKind kind, KeyRange range, int source, Deduplicator newest) {
    if (range.equals(KeyRange.ALL)) {
      newest.add(root.keys(), source, kind, root.ops());
    } else {
      newest.addSome(root.keys(), source, kind, root.ops(), range.rows(root.keys()));
    }
  }

  /// Bytes of heap that it takes, with its tail, which it keeps from being collected.
  long heapBytes() {
    return INDEX_BYTES
        + survivors.heapBytes()
        + (long) SOURCE_BYTES * sources.size()
        + (long) BLOCK_BYTES * tail.blocks().size();
  }

  private static List<KeyCache.RootKeys> keys(
      Tail tail, BlockRef block, KeyColumns key, BufferAllocator allocator) {
    checkKey(block, key);
    KeyCache.BlockKey cacheKey = KeyCache.BlockKey.of(block, key.keySchema().toString());
    List<KeyCache.RootKeys> cached = tail.keys().find(cacheKey);
    if (cached != null) {
      return cached;
    }
    List<KeyCache.RootKeys> roots = new ArrayList<>();
    try (FrameRows frame = tail.readKeys(block, allocator)) {
      for (VectorSchemaRoot rows : frame.roots()) {
        roots.add(encode(block.header(), rows, key, allocator));
      }
    }
    long rows = roots.stream().mapToLong(root -> root.keys().size()).sum();
    if (rows != block.rows()) {
      throw new IcewalException(
          ErrorKind.CORRUPT,
          block.describe() + " has " + rows + " keys, its footer says " + block.rows());
    }
    tail.keys().put(cacheKey, roots);
    return roots;
  }

  private static void checkKey(BlockRef block, KeyColumns key) {
    List<Integer> written =
        List.copyOf(new TreeSet<>(block.header().columns().identifierFieldIds()));
    if (!written.equals(key.fieldIds())) {
      throw new IcewalException(
          ErrorKind.INVALID,
          block.describe()
              + " was written under the key of field ids "
              + written
              + ", the table's key is now "
              + key.fieldIds());
    }
  }

  private static KeyCache.RootKeys encode(
      BlockHeader header, VectorSchemaRoot rows, KeyColumns key, BufferAllocator allocator) {
    byte[] ops = header.kind() == BlockKind.MIXED ? ops(rows) : null;
    // A view: its vectors are the frame's, which closes them.
    VectorSchemaRoot columns = withoutOps(rows);
    if (hasCurrentTypes(header.columns(), key)) {
      return new KeyCache.RootKeys(key.encode(columns), ops);
    }
    try (VectorSchemaRoot promoted =
        ArrowRows.promote(
            columns, header.columns(), header.lastColumnId(), key.keySchema(), allocator)) {
      return new KeyCache.RootKeys(key.encode(promoted), ops);
    }
  }

  private static boolean hasCurrentTypes(Schema written, KeyColumns key) {
    return key.fieldIds().stream()
        .allMatch(id -> written.findType(id).equals(key.keySchema().findType(id)));
  }

  /// The columns without `_op`: a view that shares the vectors and is not to be closed.
  static VectorSchemaRoot withoutOps(VectorSchemaRoot rows) {
    List<FieldVector> vectors =
        rows.getFieldVectors().stream()
            .filter(vector -> !vector.getName().equals(RowOp.COLUMN))
            .toList();
    return new VectorSchemaRoot(
        vectors.stream().map(FieldVector::getField).toList(), vectors, rows.getRowCount());
  }

  private static byte[] ops(VectorSchemaRoot rows) {
    TinyIntVector vector = (TinyIntVector) rows.getVector(RowOp.COLUMN);
    byte[] ops = new byte[rows.getRowCount()];
    for (int i = 0; i < ops.length; i++) {
      ops[i] = vector.get(i);
    }
    return ops;
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
        try (TailColumns columns =
            TailColumns.read(tail, block(source), key.keySchema(), allocator)) {
          for (int root = 0; root < columns.roots(); root++, source++) {
            parts.add(columns.rows(root, bySource.rows(source)));
            int[] entries = bySource.survivors(source);
            for (int i = 0; i < entries.length; i++) {
              part[entries[i]] = source;
              rowInPart[entries[i]] = i;
            }
          }
        }
      }
      return ArrowRows.gather(parts, part, rowInPart, 0, part.length, allocator);
    } finally {
      parts.forEach(VectorSchemaRoot::close);
    }
  }
}
