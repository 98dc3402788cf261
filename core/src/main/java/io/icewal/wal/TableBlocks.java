package io.icewal.wal;

import java.util.List;
import java.util.UUID;

/// A table's blocks in the log at the time of a trim round.
///
/// @param tableId the table
/// @param tableName its last known name
/// @param remembered the position that the last summary remembers; 0 if none
/// @param parked its parked blocks, in order
/// @param blocks its blocks above the boundary, in order
/// @param end the last segment of the log: how far its first block is behind tells whether it holds
///   the log back
public record TableBlocks(
    UUID tableId,
    String tableName,
    long remembered,
    List<BlockRef> parked,
    List<BlockRef> blocks,
    long end) {
  public TableBlocks {
    parked = List.copyOf(parked);
    blocks = List.copyOf(blocks);
  }

  /// How many segments its first block above the given position keeps from being trimmed.
  public long heldBack(long position) {
    return blocks.stream()
        .mapToLong(BlockRef::number)
        .filter(number -> number > position)
        .findFirst()
        .stream()
        .map(first -> end - first + 1)
        .findFirst()
        .orElse(0);
  }
}
