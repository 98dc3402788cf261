package io.icewal.wal;

import io.icewal.model.LogName;
import io.icewal.model.Position;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/// One block of the log and where its bytes are. Its order is the order in which its rows count: by
/// segment, then by index. A parked block keeps its number and index.
///
/// @param log the log
/// @param number the number of its segment; 0 if it has none ([StagedBlock#unpublished])
/// @param index the place among the blocks of its segment, from 0
/// @param segmentId the UUID of its segment
/// @param header what its rows have in common
/// @param rows how many rows it has
/// @param bytes how many bytes it takes in the store
/// @param ingestTime when its segment was built, by the writer's clock: for ages shown to people
///   and for due times, never for order
/// @param batches the batches it holds, in order
/// @param location where its bytes are
public record BlockRef(
    LogName log,
    long number,
    int index,
    UUID segmentId,
    BlockHeader header,
    long rows,
    long bytes,
    Instant ingestTime,
    List<BatchEntry> batches,
    BlockLocation location)
    implements Comparable<BlockRef> {

  private static final Comparator<BlockRef> ORDER =
      Comparator.comparingLong(BlockRef::number).thenComparingInt(BlockRef::index);

  public BlockRef {
    batches = List.copyOf(batches);
  }

  /// The position that a table reaches with the segment of this block.
  public Position position() {
    return log.at(number);
  }

  /// Bytes of Arrow data once decompressed.
  public long rawBytes() {
    return location.rawBytes();
  }

  @Override
  public int compareTo(BlockRef other) {
    return ORDER.compare(this, other);
  }

  /// For messages: which block this is.
  public String describe() {
    String which =
        number == 0 ? "staged block " + index : "block " + index + " of segment " + number;
    return which
        + " (table "
        + header.tableName()
        + ", "
        + header.tableId()
        + ") in "
        + location.object();
  }
}
