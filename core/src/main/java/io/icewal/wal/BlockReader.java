package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.StoredBytes;
import io.icewal.wal.BlockLocation.Part;
import io.icewal.wal.BlockLocation.Place;
import java.util.ArrayList;
import java.util.List;
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
/// 4. If an operator has accepted the loss of the block, the answer is to start over too: from then
///    on it has no rows for this reader, neither keys nor others.
final class BlockReader {
  private final ObjectStore store;
  private final SegmentCache cache;
  private final LogReader reader;

  /// The bytes of a part, checked.
  private record PartBytes(byte[] bytes, int offset) {}

  BlockReader(ObjectStore store, SegmentCache cache, LogReader reader) {
    this.store = store;
    this.cache = cache;
    this.reader = reader;
  }

  FrameRows read(BlockRef block, @Nullable Part part, BufferAllocator allocator) {
    if (part == null || reader.isLost(block)) {
      return FrameRows.EMPTY;
    }
    PartBytes bytes = bytes(block, part);
    return SegmentCodec.decodePart(bytes.bytes(), bytes.offset(), block, part, allocator);
  }

  private PartBytes bytes(BlockRef block, Part part) {
    BlockLocation location = block.location();
    if (location.place() == Place.SEGMENT) {
      Optional<byte[]> whole = cache.whole(block.segmentId());
      int offset = Math.toIntExact(part.offset());
      if (whole.isPresent()
          && SegmentCodec.whyNotPart(whole.get(), offset, location, part).isEmpty()) {
        return new PartBytes(whole.get(), offset);
      }
    }
    ByteRange range = new ByteRange.Slice(part.offset(), part.length());
    Optional<StoredBytes> stored = store.get(location.object(), range);
    if (stored.isEmpty()) {
      passOverAcceptedLoss(block);
      throw gone(block);
    }
    return checked(block, part, stored.get().bytes());
  }

  /// What keeps the parts of a block from being read, each with its place; empty if nothing does.
  List<String> whatIsWrong(BlockRef block) {
    List<String> wrong = new ArrayList<>();
    for (Part part : block.location().parts()) {
      ByteRange range = new ByteRange.Slice(part.offset(), part.length());
      String why =
          store
              .get(block.location().object(), range)
              .map(stored -> SegmentCodec.whyNotPart(stored.bytes(), 0, block.location(), part))
              .orElse("is gone");
      if (!why.isEmpty()) {
        wrong.add("part at byte " + part.offset() + " " + why);
      }
    }
    return wrong;
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

  private PartBytes checked(BlockRef block, Part part, byte[] bytes) {
    String wrong = SegmentCodec.whyNotPart(bytes, 0, block.location(), part);
    if (wrong.isEmpty()) {
      return new PartBytes(bytes, 0);
    }
    if (!isStillThere(block)) {
      throw gone(block);
    }
    passOverAcceptedLoss(block);
    throw Sealed.corrupt(block.describe() + ", part at byte " + part.offset(), wrong);
  }

  private void passOverAcceptedLoss(BlockRef block) {
    if (AcceptedLoss.ofBlock(store, block)) {
      reader.markLost(block);
      throw new IcewalException(
          ErrorKind.CONFLICT,
          block.describe() + " is lost, as an operator has accepted: start over without it");
    }
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
