package io.icewal.tail;

import io.icewal.model.Position;
import io.icewal.wal.BlockRef;
import io.icewal.wal.FrameRows;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;

/// The blocks of one table after its position, in log order, checked. Immutable; thread-safe.
///
/// The blocks' bytes are read later. By then a slot may have been trimmed: [IcewalException] of
/// kind CONFLICT says that this tail can no longer be read and a new cut is needed.
public final class Tail {
  public UUID tableId() {
    throw new UnsupportedOperationException();
  }

  /// The table's position: the tail begins after it.
  public Position from() {
    throw new UnsupportedOperationException();
  }

  /// The last segment that was looked at and is there: the tail is complete up to it.
  public Position end() {
    throw new UnsupportedOperationException();
  }

  /// Parked blocks first, in order; FLUSH and TRUNCATE blocks too.
  public List<BlockRef> blocks() {
    throw new UnsupportedOperationException();
  }

  /// The blocks up to and including the segment of the given number: a tail that ends there.
  public Tail upTo(long number) {
    throw new UnsupportedOperationException();
  }

  /// Rows in all blocks, deletes counted too.
  public long rows() {
    throw new UnsupportedOperationException();
  }

  /// Bytes in the store.
  public long bytes() {
    throw new UnsupportedOperationException();
  }

  /// Blocks that were moved aside.
  public int parkedBlocks() {
    throw new UnsupportedOperationException();
  }

  /// When the oldest block was ingested; empty without blocks.
  public Optional<Instant> oldest() {
    throw new UnsupportedOperationException();
  }

  /// The key part of a block of this tail; the caller closes it.
  public FrameRows readKeys(BlockRef block, BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }

  /// The rest part of a block of this tail; the caller closes it.
  public FrameRows readRest(BlockRef block, BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }
}
