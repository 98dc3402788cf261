package io.icewal.tail;

import io.icewal.model.BlockKind;
import io.icewal.model.Position;
import io.icewal.wal.BlockRef;
import io.icewal.wal.FrameRows;
import io.icewal.wal.LogReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;

/// The blocks of one table after its position, in log order, checked. Immutable; thread-safe.
///
/// The blocks' bytes are read later. By then a slot may have been trimmed: an error of kind
/// CONFLICT says that this tail can no longer be read and a new cut is needed.
public final class Tail {
  private final UUID tableId;
  private final Position from;
  private final Position end;
  private final List<BlockRef> blocks;
  private final int parked;
  private final LogReader reader;
  private final KeyCache keys;
  private final IndexCache indexes;

  Tail(
      UUID tableId,
      Position from,
      Position end,
      List<BlockRef> blocks,
      int parked,
      LogReader reader,
      KeyCache keys,
      IndexCache indexes) {
    this.tableId = tableId;
    this.from = from;
    this.end = end;
    this.blocks = List.copyOf(blocks);
    this.parked = parked;
    this.reader = reader;
    this.keys = keys;
    this.indexes = indexes;
    checkOrder();
  }

  private void checkOrder() {
    for (int i = 1; i < blocks.size(); i++) {
      if (blocks.get(i - 1).compareTo(blocks.get(i)) >= 0) {
        throw new IllegalStateException(
            "out of order: " + blocks.get(i - 1).describe() + ", " + blocks.get(i).describe());
      }
    }
  }

  public UUID tableId() {
    return tableId;
  }

  /// The table's position: the tail begins after it.
  public Position from() {
    return from;
  }

  /// The tail is complete up to here: the last segment that is there, or the position itself.
  public Position end() {
    return end;
  }

  /// Parked blocks first, in order; FLUSH and TRUNCATE blocks too.
  public List<BlockRef> blocks() {
    return blocks;
  }

  /// The blocks up to and including the segment of the given number: a tail that ends there.
  public Tail upTo(long number) {
    if (number >= end.number()) {
      return this;
    }
    if (number < from.number()) {
      throw new IllegalArgumentException("tail of " + from + " cannot end at " + number);
    }
    int count = 0;
    while (count < blocks.size() && blocks.get(count).number() <= number) {
      count++;
    }
    return new Tail(
        tableId,
        from,
        end.log().at(number),
        blocks.subList(0, count),
        Math.min(parked, count),
        reader,
        keys,
        indexes);
  }

  /// Whether this tail has all blocks of the other one, then perhaps more, with no TRUNCATE among
  /// these.
  boolean beginsWith(Tail other) {
    boolean may =
        tableId.equals(other.tableId)
            && from.equals(other.from)
            && blocks.size() >= other.blocks.size()
            && firstLive() == other.firstLive();
    for (int i = 0; may && i < other.blocks.size(); i++) {
      BlockRef mine = blocks.get(i);
      BlockRef its = other.blocks.get(i);
      may = mine.segmentId().equals(its.segmentId()) && mine.index() == its.index();
    }
    return may;
  }

  /// This and what comes after its end.
  Tail with(Tail next) {
    if (!next.tableId.equals(tableId) || !next.from.equals(end)) {
      throw new IllegalArgumentException("a tail of " + next.from + " does not follow " + end);
    }
    List<BlockRef> all = new ArrayList<>(blocks);
    all.addAll(next.blocks);
    return new Tail(tableId, from, next.end, all, parked + next.parked, reader, keys, indexes);
  }

  /// Rows in all blocks, deletes counted too.
  public long rows() {
    return blocks.stream().mapToLong(BlockRef::rows).sum();
  }

  /// Bytes in the store.
  public long bytes() {
    return blocks.stream().mapToLong(BlockRef::bytes).sum();
  }

  /// How many of the first blocks were moved aside.
  public int parkedBlocks() {
    return parked;
  }

  /// When the oldest block was ingested; empty without blocks.
  public Optional<Instant> oldest() {
    return blocks.stream().map(BlockRef::ingestTime).min(Comparator.naturalOrder());
  }

  /// Index of the first block whose rows may count: the one after the last TRUNCATE; 0 without one.
  public int firstLive() {
    for (int i = blocks.size() - 1; i >= 0; i--) {
      if (blocks.get(i).header().kind() == BlockKind.TRUNCATE) {
        return i + 1;
      }
    }
    return 0;
  }

  /// Whether this tail removes every row that the table held before it.
  public boolean truncates() {
    return firstLive() > 0;
  }

  /// The key part of a block of this tail; the caller closes it.
  public FrameRows readKeys(BlockRef block, BufferAllocator allocator) {
    return reader.readKeys(block, allocator);
  }

  /// The rest part of a block of this tail; the caller closes it.
  public FrameRows readRest(BlockRef block, BufferAllocator allocator) {
    return reader.readRest(block, allocator);
  }

  /// The reader of the log that the blocks are in.
  public LogReader reader() {
    return reader;
  }

  KeyCache keys() {
    return keys;
  }

  IndexCache indexes() {
    return indexes;
  }
}
