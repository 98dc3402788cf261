package io.icewal.statement;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.BlockKind;
import io.icewal.read.KeySlice;
import io.icewal.tail.TailColumns;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import java.util.List;
import java.util.function.Predicate;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/// Whether blocks that came after a statement had read touch the keys that it writes.
final class StatementKeys implements Predicate<BlockRef> {
  private final List<KeySlice> keys;
  private final KeyColumns key;
  private final LogReader reader;
  private final BufferAllocator allocator;

  /// @param keys of all rows that the statement writes, each slice sorted
  StatementKeys(List<KeySlice> keys, KeyColumns key, LogReader reader, BufferAllocator allocator) {
    this.keys = keys;
    this.key = key;
    this.reader = reader;
    this.allocator = allocator;
  }

  @Override
  public boolean test(BlockRef block) {
    if (block.header().kind() == BlockKind.TRUNCATE) {
      return true;
    }
    if (!block.header().hasRows() || block.rows() == 0) {
      return false;
    }
    try (TailColumns columns = TailColumns.read(reader, block, key.keySchema(), allocator)) {
      for (int i = 0; i < columns.roots(); i++) {
        try (VectorSchemaRoot rows = columns.rows(i)) {
          if (touches(key.encode(rows))) {
            return true;
          }
        }
      }
      return false;
    }
  }

  private boolean touches(KeyVector others) {
    for (int i = 0; i < others.size(); i++) {
      for (KeySlice slice : keys) {
        if (slice.contains(others, i)) {
          return true;
        }
      }
    }
    return false;
  }
}
