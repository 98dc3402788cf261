package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;

/// Chooses how the rows of some blocks are sorted: in memory if they fit, else in runs on disk.
final class SortedTail {
  private SortedTail() {}

  static SortedRows read(
      PartServices services, Schema schema, KeyColumns key, LogReader log, List<BlockRef> blocks) {
    long bytes = blocks.stream().mapToLong(BlockRef::rawBytes).sum();
    if (bytes <= services.config().cycleBytesMax() || blocks.size() < 2) {
      return MemoryRows.read(log, blocks, schema, key, services.allocator());
    }
    return SpilledRows.read(services, schema, key, log, blocks);
  }

  /// Consecutive blocks of at most so many bytes together, at least one.
  static List<List<BlockRef>> groups(List<BlockRef> blocks, long bytesMax) {
    List<List<BlockRef>> groups = new ArrayList<>();
    int start = 0;
    long bytes = 0;
    for (int i = 0; i < blocks.size(); i++) {
      if (i > start && bytes + blocks.get(i).rawBytes() > bytesMax) {
        groups.add(blocks.subList(start, i));
        start = i;
        bytes = 0;
      }
      bytes += blocks.get(i).rawBytes();
    }
    if (start < blocks.size()) {
      groups.add(blocks.subList(start, blocks.size()));
    }
    return groups;
  }
}
