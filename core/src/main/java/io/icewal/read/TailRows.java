package io.icewal.read;

import io.icewal.tail.RowsBySource;
import io.icewal.tail.Tail;
import io.icewal.tail.TailColumns;
import io.icewal.tail.TailIndex;
import io.icewal.wal.BlockRef;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// The rows of a tail that count, in log order, one block in memory at a time.
final class TailRows implements RowSource {
  private final Tail tail;
  private final @Nullable TailIndex index;
  private final @Nullable RowsBySource live;
  private final Schema read;
  private final BufferAllocator allocator;

  private int block;
  private int root;
  private int source;
  private int openBlock = -1;
  private @Nullable TailColumns columns;
  private @Nullable VectorSchemaRoot batch;

  /// @param index with the keys of the tail; null for an append-only table, all of whose rows count
  /// @param live the index's rows that count; null if and only if the index is
  TailRows(
      Tail tail,
      @Nullable TailIndex index,
      @Nullable RowsBySource live,
      Schema read,
      BufferAllocator allocator) {
    this.tail = tail;
    this.index = index;
    this.live = live;
    this.read = read;
    this.allocator = allocator;
    this.block = tail.firstLive();
  }

  @Override
  public @Nullable Batch next() {
    closeBatch();
    VectorSchemaRoot rows = index == null || live == null ? nextAppended() : nextLive(index, live);
    batch = rows;
    return rows == null ? null : new Batch(rows, null);
  }

  private @Nullable VectorSchemaRoot nextLive(TailIndex keys, RowsBySource rows) {
    while (source < keys.sources().size()) {
      TailIndex.Source at = keys.sources().get(source);
      if (rows.count(source) > 0) {
        return open(at.block()).rows(at.root(), rows.rows(source++));
      }
      source++;
    }
    return null;
  }

  private @Nullable VectorSchemaRoot nextAppended() {
    for (; block < tail.blocks().size(); block++, root = 0) {
      BlockRef next = tail.blocks().get(block);
      if (next.header().hasRows() && next.rows() > 0) {
        TailColumns open = open(block);
        while (root < open.roots()) {
          int at = root++;
          if (open.rowCount(at) > 0) {
            return open.rows(at);
          }
        }
      }
    }
    return null;
  }

  private TailColumns open(int wanted) {
    if (columns == null || openBlock != wanted) {
      closeColumns();
      columns = TailColumns.read(tail, tail.blocks().get(wanted), read, allocator);
      openBlock = wanted;
    }
    return columns;
  }

  private void closeBatch() {
    if (batch != null) {
      batch.close();
      batch = null;
    }
  }

  private void closeColumns() {
    if (columns != null) {
      columns.close();
      columns = null;
    }
  }

  @Override
  public void close() {
    closeBatch();
    closeColumns();
  }
}
