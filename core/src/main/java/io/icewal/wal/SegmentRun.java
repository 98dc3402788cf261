package io.icewal.wal;

import java.util.List;
import java.util.UUID;

/// The segments from one slot to the first absent one, as they were seen: they count only once a
/// look at the boundary has found it below the first of them ([LogReader#stillAbove]).
///
/// @param after the number before the first slot that was looked at
/// @param end the last present number; `after` if there is none
/// @param segments the footers of `after + 1` to `end`
public record SegmentRun(long after, long end, List<SegmentFooter> segments) {
  public SegmentRun {
    segments = List.copyOf(segments);
  }

  /// The blocks of one table, in order.
  public List<BlockRef> blocks(UUID tableId) {
    return segments.stream()
        .flatMap(segment -> segment.blocks().stream())
        .filter(block -> block.header().tableId().equals(tableId))
        .toList();
  }
}
