package io.icewal.materialize;

import io.icewal.merge.Deduplicator;
import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.merge.Survivors;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowOp;
import io.icewal.parquet.ArrowRows;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.BlockRef;
import io.icewal.wal.FrameRows;
import io.icewal.wal.LogReader;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// The record batches of some blocks of a tail, numbered in log order.
///
/// Of a keyed table the key columns are read first; the other columns only of blocks that have a
/// row which survives. Owns all it read. Used by one thread.
final class Batches implements AutoCloseable {
  /// One record batch: the columns read so far.
  private static final class Batch {
    private final BlockRef block;
    private final List<FieldVector> columns = new ArrayList<>();
    private final @Nullable TinyIntVector ops;
    private final int rows;

    Batch(BlockRef block, VectorSchemaRoot root) {
      this.block = block;
      this.rows = root.getRowCount();
      TinyIntVector found = null;
      for (FieldVector vector : root.getFieldVectors()) {
        if (vector.getName().equals(RowOp.COLUMN)) {
          found = (TinyIntVector) vector;
        } else {
          columns.add(vector);
        }
      }
      this.ops = found;
    }

    VectorSchemaRoot root() {
      return new VectorSchemaRoot(
          columns.stream().map(FieldVector::getField).toList(), columns, rows);
    }
  }

  private final LogReader log;
  private final KeyColumns key;
  private final BufferAllocator allocator;
  private final List<FrameRows> frames = new ArrayList<>();
  private final List<Batch> batches = new ArrayList<>();

  Batches(LogReader log, KeyColumns key, BufferAllocator allocator) {
    this.log = log;
    this.key = key;
    this.allocator = allocator;
  }

  /// Reads the key columns of the blocks and finds the newest row of each key. The survivors'
  /// source numbers are batch numbers.
  Survivors readKeys(List<BlockRef> blocks) {
    Deduplicator deduplicator = new Deduplicator();
    for (BlockRef block : blocks) {
      checkKey(block);
      if (block.header().kind() == BlockKind.TRUNCATE) {
        deduplicator.truncate();
      } else if (block.header().hasRows()) {
        addKeys(block, deduplicator);
      }
    }
    return deduplicator.finish();
  }

  /// A block's rows are told apart by the key it was acknowledged under.
  private void checkKey(BlockRef block) {
    TreeSet<Integer> ids = new TreeSet<>(block.header().columns().identifierFieldIds());
    if (block.header().hasRows() && !List.copyOf(ids).equals(key.fieldIds())) {
      throw new IcewalException(
          ErrorKind.INVALID,
          block.describe() + " has key fields " + ids + ", the table has " + key.fieldIds());
    }
  }

  private void addKeys(BlockRef block, Deduplicator deduplicator) {
    FrameRows read = log.readKeys(block, allocator);
    frames.add(read);
    for (VectorSchemaRoot root : read.roots()) {
      Batch batch = new Batch(block, root);
      KeyVector keys = key.encode(batch.root());
      deduplicator.add(keys, batches.size(), block.header().kind(), ops(batch));
      batches.add(batch);
    }
  }

  private static byte @Nullable [] ops(Batch batch) {
    TinyIntVector ops = batch.ops;
    if (ops == null) {
      return null;
    }
    byte[] out = new byte[batch.rows];
    if (out.length > 0) {
      ops.getDataBuffer().getBytes(0, out);
    }
    return out;
  }

  /// Reads all columns of an append-only table's blocks.
  void readAppends(List<BlockRef> blocks) {
    for (BlockRef block : blocks) {
      checkKey(block);
      if (block.header().hasRows()) {
        FrameRows read = log.readRest(block, allocator);
        frames.add(read);
        read.roots().forEach(root -> batches.add(new Batch(block, root)));
      }
    }
  }

  int count() {
    return batches.size();
  }

  /// Reads the other columns of the blocks that hold one of the given batches.
  void readRest(BitSet needed) {
    int first = 0;
    while (first < batches.size()) {
      BlockRef block = batches.get(first).block;
      int end = first;
      while (end < batches.size() && batches.get(end).block.compareTo(block) == 0) {
        end++;
      }
      int used = needed.nextSetBit(first);
      if (used >= 0 && used < end) {
        readRest(block, first, end);
      }
      first = end;
    }
  }

  private void readRest(BlockRef block, int first, int end) {
    FrameRows read = log.readRest(block, allocator);
    frames.add(read);
    if (read.roots().isEmpty()) {
      return;
    }
    if (read.roots().size() != end - first) {
      throw new IcewalException(
          ErrorKind.CORRUPT,
          block.describe()
              + " has "
              + (end - first)
              + " batches of keys and "
              + read.roots().size()
              + " of other columns");
    }
    for (int i = first; i < end; i++) {
      batches.get(i).columns.addAll(read.roots().get(i - first).getFieldVectors());
    }
  }

  /// The columns read so far of one batch in the form of a schema; the caller closes it.
  VectorSchemaRoot rows(int batch, Schema target) {
    Batch from = batches.get(batch);
    BlockHeader header = from.block.header();
    return ArrowRows.promote(
        from.root(), header.columns(), header.lastColumnId(), target, allocator);
  }

  @Override
  public void close() {
    frames.forEach(FrameRows::close);
    frames.clear();
    batches.clear();
  }
}
