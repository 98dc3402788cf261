package io.icewal.wal;

import io.icewal.model.LogName;
import io.icewal.storage.ObjectStore;
import io.icewal.wal.BlockLocation.Part;
import io.icewal.wal.BlockLocation.Place;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Copies blocks out of segments that are about to be trimmed, as they are: even a damaged one,
/// which stays damaged where it then lies and so stops its own table alone. Belongs to one round.
///
/// Blocks with staged bytes, and blocks without rows, have nothing to copy.
final class Parking {
  private final ObjectStore store;
  private final LogName log;
  private final BlockReader reader;
  private final RandomGenerator random;
  private final long round;
  private final int objectBytesMax;
  private final List<BlockRef> parked = new ArrayList<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private String object;

  Parking(
      ObjectStore store,
      LogName log,
      BlockReader reader,
      RandomGenerator random,
      long round,
      int objectBytesMax) {
    this.store = store;
    this.log = log;
    this.reader = reader;
    this.random = random;
    this.round = round;
    this.objectBytesMax = objectBytesMax;
    this.object = Paths.parked(log, round, Ids.random(random));
  }

  /// @return the blocks at their new places
  List<BlockRef> park(List<BlockRef> blocks) {
    for (BlockRef block : blocks) {
      BlockLocation from = block.location();
      if (from.place() == Place.SEGMENT) {
        Part keys = copy(block, from.keys());
        Part rest = copy(block, from.rest());
        parked.add(
            at(block, new BlockLocation(Place.PARKED, object, block.segmentId(), keys, rest)));
        if (bytes.size() >= objectBytesMax) {
          finishObject();
        }
      } else {
        parked.add(block);
      }
    }
    finishObject();
    return parked;
  }

  private @Nullable Part copy(BlockRef block, @Nullable Part part) {
    if (part == null) {
      return null;
    }
    long offset = bytes.size();
    bytes.writeBytes(reader.asTheyAre(block, part));
    return new Part(offset, part.length(), part.rawLength(), part.crc32c());
  }

  private void finishObject() {
    if (bytes.size() > 0) {
      store.put(object, bytes.toByteArray());
      bytes.reset();
      object = Paths.parked(log, round, Ids.random(random));
    }
  }

  private static BlockRef at(BlockRef block, BlockLocation location) {
    return new BlockRef(
        block.log(),
        block.number(),
        block.index(),
        block.segmentId(),
        block.header(),
        block.rows(),
        block.bytes(),
        block.ingestTime(),
        block.batches(),
        location);
  }
}
