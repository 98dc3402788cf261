package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.StoredBytes;
import io.icewal.wal.BlockLocation.Part;
import io.icewal.wal.BlockLocation.Place;
import java.util.Optional;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/// Reads the parts of blocks.
///
/// 1. The bytes come from the cached whole segment, or by one GET of exactly the part.
/// 2. UUID and CRC32C are checked.
/// 3. If they do not fit, the object itself tells why: if it is no longer the block's own, the
///    answer is to start over; if it is, its bytes are damaged.
final class BlockReader {
  private final ObjectStore store;
  private final SegmentCache cache;
  private final LogReader reader;

  /// The bytes of a part, checked.
  record PartBytes(byte[] bytes, int offset) {}

  BlockReader(ObjectStore store, SegmentCache cache, LogReader reader) {
    this.store = store;
    this.cache = cache;
    this.reader = reader;
  }

  FrameRows read(BlockRef block, @Nullable Part part, BufferAllocator allocator) {
    if (part == null) {
      return FrameRows.EMPTY;
    }
    Optional<PartBytes> bytes = bytes(block, part);
    return bytes.isEmpty()
        ? FrameRows.EMPTY
        : SegmentCodec.decodePart(
            bytes.get().bytes(), bytes.get().offset(), block, part, allocator);
  }

  /// The bytes of a part; empty if they are damaged and an operator has accepted the loss.
  Optional<PartBytes> bytes(BlockRef block, Part part) {
    BlockLocation location = block.location();
    if (location.place() == Place.SEGMENT) {
      Optional<byte[]> whole = cache.whole(block.segmentId());
      if (whole.isPresent()) {
        return checked(block, part, whole.get(), Math.toIntExact(part.offset()));
      }
    }
    ByteRange range = new ByteRange.Slice(part.offset(), part.length());
    Optional<StoredBytes> stored = store.get(location.object(), range);
    if (stored.isEmpty()) {
      throw gone(block);
    }
    return checked(block, part, stored.get().bytes(), 0);
  }

  /// The bytes of a part of a segment, damaged or not.
  byte[] asTheyAre(BlockRef block, Part part) {
    ByteRange range = new ByteRange.Slice(part.offset(), part.length());
    StoredBytes stored = store.get(block.location().object(), range).orElseThrow(() -> gone(block));
    boolean whole = SegmentCodec.whyNotPart(stored.bytes(), 0, block.location(), part).isEmpty();
    if (!whole && !isStillThere(block)) {
      throw gone(block);
    }
    return stored.bytes();
  }

  private Optional<PartBytes> checked(BlockRef block, Part part, byte[] bytes, int offset) {
    String wrong = SegmentCodec.whyNotPart(bytes, offset, block.location(), part);
    if (wrong.isEmpty()) {
      return Optional.of(new PartBytes(bytes, offset));
    }
    if (!isStillThere(block)) {
      throw gone(block);
    }
    if (AcceptedLoss.ofBlock(store, block)) {
      return Optional.empty();
    }
    throw Sealed.corrupt(block.describe() + ", part at byte " + part.offset(), wrong);
  }

  /// Whether the object that the block names is the one it was.
  private boolean isStillThere(BlockRef block) {
    if (block.location().place() != Place.SEGMENT) {
      return store.head(block.location().object()).isPresent();
    }
    Optional<UUID> id = reader.fetchFooter(block.number()).map(SegmentFooter::id);
    return id.isPresent() && id.get().equals(block.segmentId());
  }

  private static IcewalException gone(BlockRef block) {
    return new IcewalException(
        ErrorKind.CONFLICT, block.describe() + " is gone or another object is there: start over");
  }
}
