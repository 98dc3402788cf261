package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// An operator's word that some part of the log is lost, so that the rest can go on.
///
/// - A hole is filled with an empty segment that says so: nothing can land there any more, and
///   readers and writers need no rule of their own for it.
/// - A segment whose footer is bad cannot be replaced (names are used once), so a marker beside the
///   log says that it counts as empty. Readers look for it only after they have found the damage.
/// - A marker for one block says that it counts as one without rows.
public final class AcceptedLoss {
  private AcceptedLoss() {}

  /// Accepts the loss of one segment, which must be a hole or have a bad footer.
  ///
  /// @param number the segment that an error named
  /// @param reason for people; not empty
  /// @throws IcewalException INVALID if nothing is wrong with that segment; CONFLICT if it was
  ///   trimmed meanwhile; UNAVAILABLE if the store did not answer: try again
  public static void ofSegment(
      LogRoot root, LogName log, long number, String reason, RandomGenerator random) {
    requireReason(reason);
    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    String key = Paths.segment(log, number);
    Optional<ObjectMeta> there = root.store().head(key);
    checkLost(reader, number, there, root.store().list(Paths.segments(log), key, 1));
    if (there.isPresent()) {
      mark(root.store(), Paths.acceptedLoss(log, number), reason);
    } else {
      fill(root.store(), log, number, reason, random);
    }
  }

  /// Accepts the loss of one block, whose bytes must be damaged or gone. It may be parked.
  ///
  /// @param number the segment of the block, as an error named it
  /// @param index the block in that segment, from 0
  /// @param reason for people; not empty
  /// @throws IcewalException as [#ofSegment]
  public static void ofBlock(LogRoot root, LogName log, long number, int index, String reason) {
    requireReason(reason);
    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    BlockRef block = block(reader, number, index);
    List<String> wrong = reader.blockReader().whatIsWrong(block);
    if (wrong.isEmpty()) {
      throw new IcewalException(
          ErrorKind.INVALID, block.describe() + " is not lost: all of it can be read");
    }
    mark(root.store(), Paths.acceptedLoss(log, number, index), reason);
  }

  private static void requireReason(String reason) {
    if (reason.isBlank()) {
      throw new IcewalException(ErrorKind.INVALID, "accepting a loss needs a reason");
    }
  }

  /// A block of a segment above the boundary, or one that is parked.
  private static BlockRef block(LogReader reader, long number, int index) {
    Boundary boundary = reader.newestBoundary();
    List<BlockRef> blocks;
    if (number > boundary.number()) {
      blocks = reader.lookAt(number).map(SegmentFooter::blocks).orElse(List.of());
    } else {
      blocks = reader.summary(boundary).parked();
    }
    return blocks.stream()
        .filter(block -> block.number() == number && block.index() == index)
        .findFirst()
        .orElseThrow(
            () ->
                new IcewalException(
                    ErrorKind.INVALID,
                    "log %s has no block %d of segment %d: the boundary is %d, and it is not parked"
                        .formatted(reader.log(), index, number, boundary.number())));
  }

  private static void checkLost(
      LogReader reader, long number, Optional<ObjectMeta> there, List<ObjectMeta> later) {
    IcewalException damage =
        new IcewalException(ErrorKind.CORRUPT, "segment " + number + " is lost");
    if (there.isPresent()) {
      try {
        reader.footerAt(number);
      } catch (IcewalException e) {
        damage = e;
        there = Optional.empty();
      }
    } else if (later.isEmpty()) {
      there = Optional.of(new ObjectMeta("", 0, Instant.EPOCH));
    }
    if (there.isPresent()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "segment "
              + number
              + " of log "
              + reader.log()
              + " is not lost: it can be read, or it is the end of the log");
    }
    IcewalException judged = reader.damage(number, damage);
    if (judged.kind() != ErrorKind.CORRUPT) {
      throw judged;
    }
  }

  private static void fill(
      ObjectStore store, LogName log, long number, String reason, RandomGenerator random) {
    SegmentBuilder filler =
        new SegmentBuilder(
            log,
            number,
            Ids.random(random),
            SegmentFooter.NONE,
            SegmentFooter.NONE,
            0,
            "",
            Instant.EPOCH);
    PutOutcome outcome =
        store.putIfAbsent(Paths.segment(log, number), filler.build(reason).bytes());
    if (outcome instanceof PutOutcome.Unknown unknown) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE, "could not fill segment " + number, unknown.cause());
    }
  }

  private static void mark(ObjectStore store, String key, String reason) {
    store.put(key, reason.getBytes(StandardCharsets.UTF_8));
  }

  /// What a segment with a bad footer counts as: empty if its loss was accepted.
  ///
  /// @throws IcewalException the damage, if not
  static SegmentFooter footer(
      ObjectStore store, LogName log, long number, ObjectMeta meta, IcewalException damage) {
    if (damage.kind() != ErrorKind.CORRUPT) {
      throw damage;
    }
    String reason =
        store
            .get(Paths.acceptedLoss(log, number), ByteRange.ALL)
            .map(stored -> new String(stored.bytes(), StandardCharsets.UTF_8))
            .orElseThrow(() -> damage);
    return new SegmentFooter(
        number,
        new UUID(-1, number),
        SegmentFooter.NONE,
        SegmentFooter.NONE,
        0,
        null,
        meta.size(),
        meta.lastModified(),
        reason,
        List.of());
  }

  /// Whether the loss of a block was accepted.
  static boolean ofBlock(ObjectStore store, BlockRef block) {
    return store.head(Paths.acceptedLoss(block.log(), block.number(), block.index())).isPresent();
  }
}
