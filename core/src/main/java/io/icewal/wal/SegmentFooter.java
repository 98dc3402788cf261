package io.icewal.wal;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What one segment says about itself.
///
/// @param number the slot it was read at
/// @param id its own UUID
/// @param previousId the UUID of the segment before it; all zero for the first and when unknown
/// @param writerId who wrote it; all zero for a filler
/// @param writerSequence the writer's count of segments
/// @param flightAddress the writer's Flight address, or null
/// @param length of the object in bytes
/// @param modified when it was stored, by the store's clock
/// @param acceptedLoss not null: an operator has accepted that this segment is lost, for this
///   reason
/// @param blocks its blocks, in order
public record SegmentFooter(
    long number,
    UUID id,
    UUID previousId,
    UUID writerId,
    long writerSequence,
    @Nullable String flightAddress,
    long length,
    Instant modified,
    @Nullable String acceptedLoss,
    List<BlockRef> blocks) {
  static final UUID NONE = new UUID(0, 0);

  public SegmentFooter {
    blocks = List.copyOf(blocks);
  }

  /// Whether this segment may follow one with the given UUID.
  boolean follows(UUID id) {
    return acceptedLoss != null
        || id.equals(NONE)
        || previousId.equals(NONE)
        || previousId.equals(id);
  }

  /// The UUID that the next segment must name; unknown after an accepted loss.
  UUID idForNext() {
    return acceptedLoss != null ? NONE : id;
  }
}
