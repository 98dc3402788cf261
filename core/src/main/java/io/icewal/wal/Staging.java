package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.RowBatch;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.wal.BlockLocation.Part;
import io.icewal.wal.BlockLocation.Place;
import io.icewal.wal.FrameEncoder.Frame;
import io.icewal.wal.SegmentBuilder.EncodedBlock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Objects that hold blocks until a segment publishes them by reference: so a large or distributed
/// write is one append, all of it or nothing. As thread-safe as its source of randomness.
///
/// A task stages its rows under a unique name. The statement's end appends all staged blocks in one
/// group ([WalWriter#append]). What was never published, or is no longer referred to, is cleaned up
/// long after it could still be published.
public final class Staging {
  /// Older staged objects are not published any more.
  public static final Duration PUBLISH_AGE_MAX = Duration.ofHours(24);

  /// Older staged objects are deleted, unless something refers to them. The two days in between are
  /// the time a publishing PUT may be late.
  public static final Duration DELETE_AGE_MIN = Duration.ofHours(72);

  private static final int PUT_ATTEMPTS_MAX = 5;
  private static final int LIST_PAGE = 1000;

  private final LogName log;
  private final ObjectStore store;
  private final RandomGenerator random;
  private final LogReader reader;
  private final Parallel parallel;

  /// @param executor runs the requests of [#deleteUnreferenced]
  public Staging(LogRoot root, LogName log, RandomGenerator random, Executor executor) {
    this.log = log;
    this.store = root.store();
    this.random = random;
    this.reader = new LogReader(root, log, executor, ReaderLimits.FOOTERS_ONLY);
    this.parallel = new Parallel(executor, ReaderLimits.FOOTERS_ONLY.parallel());
  }

  /// Stores rows as one block in an object of its own. Nothing sees them until a [WalWriter]
  /// appends the result. The rows are read, not closed.
  ///
  /// @throws IcewalException UNAVAILABLE if the store did not take them
  public StagedBlock stage(BlockHeader header, List<RowBatch> rows) {
    UUID id = Ids.random(random);
    EncodedBlock block = BlockEncoder.encode(new FrameEncoder(), header, rows, List.of());
    List<byte[]> bytes = new ArrayList<>();
    Part keys = add(bytes, id, 0, block.keys());
    Part rest = add(bytes, id, keys == null ? 0 : keys.length(), block.rest());
    String key = Paths.staged(log, id);
    put(key, bytes);
    Instant stagedAt =
        store.head(key).map(ObjectMeta::lastModified).orElseThrow(() -> missing(key));
    BlockLocation location = new BlockLocation(Place.STAGED, key, id, keys, rest);
    return new StagedBlock(header, block.rows(), location, stagedAt);
  }

  private static @Nullable Part add(
      List<byte[]> bytes, UUID id, long offset, @Nullable Frame frame) {
    if (frame == null) {
      return null;
    }
    byte[] uuid = Ids.toBytes(id);
    bytes.add(uuid);
    bytes.addAll(frame.chunks());
    int crc = SegmentCodec.partCrc(uuid, frame.chunks());
    return new Part(offset, Ids.BYTES + frame.length(), frame.rawLength(), crc);
  }

  /// The name is unique, so whatever is there under it is this.
  private void put(String key, List<byte[]> bytes) {
    PutOutcome outcome = store.putIfAbsent(key, bytes);
    for (int i = 1; i < PUT_ATTEMPTS_MAX && outcome instanceof PutOutcome.Unknown; i++) {
      outcome = store.putIfAbsent(key, bytes);
    }
    if (outcome instanceof PutOutcome.Unknown unknown) {
      throw new IcewalException(ErrorKind.UNAVAILABLE, "could not stage " + key, unknown.cause());
    }
  }

  /// Refuses to publish what is gone, or so old that clean-up may take it.
  ///
  /// @throws IcewalException INVALID
  static void checkPublishable(ObjectStore store, LogName log, List<StagedBlock> blocks) {
    if (blocks.isEmpty()) {
      return;
    }
    Instant now = StoreClock.now(store, log);
    Set<String> seen = new HashSet<>();
    for (StagedBlock block : blocks) {
      String key = block.location().object();
      if (seen.add(key)) {
        Instant modified =
            store.head(key).map(ObjectMeta::lastModified).orElseThrow(() -> missing(key));
        if (Duration.between(modified, now).compareTo(PUBLISH_AGE_MAX) > 0) {
          throw new IcewalException(
              ErrorKind.INVALID,
              key
                  + " was staged at "
                  + modified
                  + ", it is now "
                  + now
                  + ": staged rows are published within "
                  + PUBLISH_AGE_MAX);
        }
      }
    }
  }

  /// Deletes staged objects older than 72 h that no present segment and no parked block refers to.
  ///
  /// 1. List what is old enough.
  /// 2. Take the references of the newest summary's parked blocks.
  /// 3. Take those of all present segments, trimmed ones too.
  /// 4. If the boundary has moved meanwhile, blocks may have gone from segments to parked ones
  ///    unseen: delete nothing this time.
  ///
  /// A bad footer stops it: what that segment refers to is not known.
  ///
  /// @return how many objects were deleted
  public int deleteUnreferenced() {
    Set<String> unreferenced = oldObjects();
    if (unreferenced.isEmpty()) {
      return 0;
    }
    Boundary boundary = reader.newestBoundary();
    unreferenced.removeAll(stagedObjects(reader.summary(boundary).parked()));
    parallel.map(presentNumbers(), this::stagedObjects).forEach(unreferenced::removeAll);
    if (reader.newestBoundary().k() != boundary.k()) {
      return 0;
    }
    store.delete(unreferenced);
    return unreferenced.size();
  }

  private Set<String> oldObjects() {
    List<ObjectMeta> all = listAll(Paths.stagedObjects(log));
    Set<String> old = new HashSet<>();
    if (!all.isEmpty()) {
      Instant latest = StoreClock.now(store, log).minus(DELETE_AGE_MIN);
      for (ObjectMeta meta : all) {
        if (meta.lastModified().isBefore(latest)) {
          old.add(meta.key());
        }
      }
    }
    return old;
  }

  private List<Long> presentNumbers() {
    return listAll(Paths.segments(log)).stream()
        .map(meta -> Paths.segmentNumber(meta.key()))
        .toList();
  }

  private List<ObjectMeta> listAll(String prefix) {
    List<ObjectMeta> all = new ArrayList<>();
    List<ObjectMeta> page = store.list(prefix, "", LIST_PAGE);
    all.addAll(page);
    while (page.size() == LIST_PAGE) {
      page = store.list(prefix, page.get(LIST_PAGE - 1).key(), LIST_PAGE);
      all.addAll(page);
    }
    return all;
  }

  /// What the segment at a slot refers to, and no more of it: there may be thousands.
  private Set<String> stagedObjects(long number) {
    return reader
        .fetchFooter(number)
        .map(footer -> stagedObjects(footer.blocks()))
        .orElse(Set.of());
  }

  private static Set<String> stagedObjects(List<BlockRef> blocks) {
    return blocks.stream()
        .map(BlockRef::location)
        .filter(location -> location.place() == Place.STAGED)
        .map(BlockLocation::object)
        .collect(Collectors.toSet());
  }

  private static IcewalException missing(String key) {
    return new IcewalException(
        ErrorKind.INVALID, key + " is not there: was it staged more than 72 hours ago?");
  }
}
