package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import java.util.List;
import org.apache.iceberg.Table;

/// What one cycle takes into a table.
///
/// @param table as it was loaded for the cycle: all rows are written in its columns, whatever it
///   has become since
/// @param log where the blocks are
/// @param blocks consecutive ones of the table
/// @param name a part of file names that no other cycle uses
public record CyclePlan(Table table, LogReader log, List<BlockRef> blocks, String name) {
  public CyclePlan {
    blocks = List.copyOf(blocks);
  }

  /// The table's key; empty for an append-only table.
  public KeyColumns key() {
    return KeyColumns.of(table.schema());
  }

  /// Whether all rows go that the table had.
  public boolean truncates() {
    return firstLive() > 0;
  }

  /// The blocks after the last truncation.
  public List<BlockRef> live() {
    return blocks.subList(firstLive(), blocks.size());
  }

  /// The last truncation, if there is one, and the blocks after it. What came before it does not
  /// count, whatever it is.
  List<BlockRef> sinceTruncation() {
    return blocks.subList(Math.max(0, firstLive() - 1), blocks.size());
  }

  private int firstLive() {
    for (int i = blocks.size() - 1; i >= 0; i--) {
      if (blocks.get(i).header().kind() == BlockKind.TRUNCATE) {
        return i + 1;
      }
    }
    return 0;
  }

  /// Bytes of Arrow data in the blocks after the last truncation, decompressed.
  public long rawBytes() {
    return live().stream().mapToLong(BlockRef::rawBytes).sum();
  }

  /// The blocks after the last truncation, in groups that fit in memory.
  ///
  /// @param bytesMax of a group, unless a single block is larger
  public List<List<BlockRef>> groups(long bytesMax) {
    return SortedTail.groups(live(), bytesMax);
  }
}
