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

/// Collects keys of a tail, block by block, from memory where they were read before. Used by one
/// thread.
final class BlockKeys {
  private final Tail tail;
  private final KeyColumns key;
  private final BufferAllocator allocator;
  private final Deduplicator newest = new Deduplicator();
  private final List<TailIndex.Source> sources;

  /// @param key the table's key, with its current types
  /// @param allocator for the keys of one block at a time
  /// @param before sources that are numbered before those that come
  BlockKeys(Tail tail, KeyColumns key, BufferAllocator allocator, List<TailIndex.Source> before) {
    this.tail = tail;
    this.key = key;
    this.allocator = allocator;
    this.sources = new ArrayList<>(before);
  }

  /// Adds all keys that count.
  ///
  /// @throws IcewalException INVALID if a block was written under another key; CONFLICT if the tail
  ///   can no longer be read
  void addAll() {
    truncate();
    addAfter(tail.firstLive());
  }

  /// Adds the keys of a block and those after it.
  ///
  /// @throws IcewalException as [#addAll]
  void addAfter(int firstBlock) {
    for (int i = firstBlock; i < tail.blocks().size(); i++) {
      List<KeyCache.RootKeys> roots = keys(i);
      for (int r = 0; r < roots.size(); r++) {
        KeyCache.RootKeys root = roots.get(r);
        newest.add(root.keys(), sources.size(), kind(i), root.ops());
        sources.add(new TailIndex.Source(i, r));
      }
    }
  }

  /// Adds the keys that count and are in a range.
  ///
  /// @return false as soon as they have more rows than `rowsMax`
  /// @throws IcewalException as [#addAll]
  boolean addFew(KeyRange range, long rowsMax) {
    truncate();
    for (int i = tail.firstLive(); i < tail.blocks().size(); i++) {
      List<KeyCache.RootKeys> roots = keys(i);
      for (int r = 0; r < roots.size(); r++) {
        KeyCache.RootKeys root = roots.get(r);
        int[] wanted = range.rows(root.keys());
        if (wanted.length > 0) {
          newest.addSome(root.keys(), sources.size(), kind(i), root.ops(), wanted);
          sources.add(new TailIndex.Source(i, r));
        }
      }
      if (newest.rows() > rowsMax) {
        return false;
      }
    }
    return true;
  }

  private void truncate() {
    if (tail.truncates()) {
      newest.truncate();
    }
  }

  private BlockKind kind(int block) {
    return tail.blocks().get(block).header().kind();
  }

  /// The newest row of each key that was added.
  Survivors newest() {
    return newest.finish();
  }

  List<TailIndex.Source> sources() {
    return sources;
  }

  private List<KeyCache.RootKeys> keys(int number) {
    BlockRef block = tail.blocks().get(number);
    return block.header().hasRows() && block.rows() > 0 ? keys(block) : List.of();
  }

  private List<KeyCache.RootKeys> keys(BlockRef block) {
    checkKey(block);
    KeyCache.BlockKey cacheKey = KeyCache.BlockKey.of(block, key.keySchema().toString());
    List<KeyCache.RootKeys> cached = tail.keys().find(cacheKey);
    if (cached != null) {
      return cached;
    }
    List<KeyCache.RootKeys> roots = new ArrayList<>();
    try (FrameRows frame = tail.readKeys(block, allocator)) {
      for (VectorSchemaRoot rows : frame.roots()) {
        roots.add(encode(block.header(), rows));
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

  private void checkKey(BlockRef block) {
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

  private KeyCache.RootKeys encode(BlockHeader header, VectorSchemaRoot rows) {
    byte[] ops = header.kind() == BlockKind.MIXED ? ops(rows) : null;
    // A view: its vectors are the frame's, which closes them.
    VectorSchemaRoot columns = withoutOps(rows);
    if (hasCurrentTypes(header.columns())) {
      return new KeyCache.RootKeys(key.encode(columns), ops);
    }
    try (VectorSchemaRoot promoted =
        ArrowRows.promote(
            columns, header.columns(), header.lastColumnId(), key.keySchema(), allocator)) {
      return new KeyCache.RootKeys(key.encode(promoted), ops);
    }
  }

  private boolean hasCurrentTypes(Schema written) {
    return key.fieldIds().stream()
        .allMatch(id -> written.findType(id).equals(key.keySchema().findType(id)));
  }

  /// The columns without `_op`: a view that shares the vectors and is not to be closed.
  private static VectorSchemaRoot withoutOps(VectorSchemaRoot rows) {
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
}
