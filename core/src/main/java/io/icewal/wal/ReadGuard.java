package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/// Keeps a read-modify-write statement from writing over what it has not read: it looks at every
/// block of the statement's tables between the position that was read and the slot that the writer
/// is about to put at. Put if absent makes it exact: whoever gets that slot instead is looked at
/// before the next try. Belongs to one append.
final class ReadGuard {
  private final LogReader reader;
  private final BoundaryLog boundaries;
  private final Set<UUID> tables;
  private final Predicate<BlockRef> conflicts;
  private long lookedTo;

  /// @param conflicts whether a block touches what the statement read or writes
  /// @param readTo the last segment that the statement has read
  ReadGuard(
      LogReader reader,
      BoundaryLog boundaries,
      Set<UUID> tables,
      Predicate<BlockRef> conflicts,
      long readTo) {
    this.reader = reader;
    this.boundaries = boundaries;
    this.tables = tables;
    this.conflicts = conflicts;
    this.lookedTo = readTo;
  }

  /// Looks at what is new below a slot.
  ///
  /// @throws IcewalException CONFLICT if the statement has to read again
  void check(long slot) {
    if (slot - 1 <= lookedTo) {
      return;
    }
    SegmentRun run = reader.readSome(lookedTo, Math.toIntExact(slot - 1 - lookedTo));
    Boundary newest = boundaries.newest();
    if (newest.number() > lookedTo || run.end() < slot - 1) {
      throw conflict("blocks after " + lookedTo + " were trimmed before it could look at them");
    }
    for (SegmentFooter segment : run.segments()) {
      for (BlockRef block : segment.blocks()) {
        if (tables.contains(block.header().tableId()) && conflicts.test(block)) {
          throw conflict("it touches rows of " + block.describe());
        }
      }
    }
    lookedTo = slot - 1;
  }

  private static IcewalException conflict(String why) {
    return new IcewalException(
        ErrorKind.CONFLICT, "the statement must read again and be repeated: " + why);
  }
}
