package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.PutOutcome;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How far streams have written into tables. Thread-safe.
///
/// The log itself knows what it holds of a producer, but forgets producers that were idle for a
/// day; streams are stopped for longer. So an epoch is marked before it is published and again
/// after, by two objects that only that epoch has: whatever is written late, the newest counts.
/// Between the two marks only the log can tell ([WalWriter#appendOnce]).
public final class EpochMarks {
  private static final Logger LOG = LoggerFactory.getLogger(EpochMarks.class);

  private static final String BEGUN = "begun";
  private static final String PUBLISHED = "published";

  private static final int PUT_ATTEMPTS_MAX = 5;

  /// How many of the newest marks are looked at.
  private static final int LOOK = 100;

  /// Older marks than the newest epoch's are deleted when there are so many.
  private static final int OLD_MAX = 32;

  /// The newest epoch of a stream in a table.
  ///
  /// @param epoch counted by the stream; all before it are published, or had no rows
  /// @param isPublished whether it is known to be in the log
  /// @param begun no try to publish it is older than this, by the store's clock
  public record Mark(long epoch, boolean isPublished, Instant begun) {}

  private final LogRoot root;
  private final LogReader reader;

  /// @param reader of the log whose tables are asked about
  public EpochMarks(LogRoot root, LogReader reader) {
    this.root = root;
    this.reader = reader;
  }

  /// Before an epoch is published: marks it as begun, if it never was, and then looks for the
  /// newest one. That is another one if the stream has gone on meanwhile.
  ///
  /// @throws IcewalException UNAVAILABLE if the mark could not be stored; CORRUPT for a foreign
  ///   object among them
  public Mark begin(UUID tableId, UUID stream, long epoch) {
    String key = Paths.epoch(reader.log(), tableId, stream, epoch, BEGUN);
    PutOutcome put = root.store().putIfAbsent(key, List.of());
    for (int i = 1; i < PUT_ATTEMPTS_MAX && put instanceof PutOutcome.Unknown; i++) {
      put = root.store().putIfAbsent(key, List.of());
    }
    List<ObjectMeta> marks =
        root.store().list(Paths.epochs(reader.log(), tableId, stream), "", LOOK);
    long newest = marks.isEmpty() ? -1 : Paths.epochNumber(marks.get(0).key());
    if (newest < epoch) {
      throw notMarked(key, put);
    }
    if (newest == epoch) {
      deleteOld(marks, epoch);
    }
    boolean isPublished =
        marks.stream()
            .anyMatch(
                mark ->
                    mark.key()
                        .equals(Paths.epoch(reader.log(), tableId, stream, newest, PUBLISHED)));
    return new Mark(newest, isPublished, marks.get(0).lastModified());
  }

  /// Once an epoch is in the log.
  public void published(UUID tableId, UUID stream, long epoch) {
    root.store().put(Paths.epoch(reader.log(), tableId, stream, epoch, PUBLISHED), new byte[0]);
  }

  /// Where the marks of a stream are, below the log root.
  public String place(UUID tableId, UUID stream) {
    return Paths.epochs(reader.log(), tableId, stream);
  }

  private void deleteOld(List<ObjectMeta> marks, long newest) {
    List<String> old =
        marks.stream().map(ObjectMeta::key).filter(key -> Paths.epochNumber(key) < newest).toList();
    if (old.size() >= OLD_MAX) {
      try {
        root.store().delete(old);
      } catch (IcewalException e) {
        if (e.kind() != ErrorKind.UNAVAILABLE) {
          throw e;
        }
        LOG.warn("Old marks of a stream could not be deleted; its next epoch tries again", e);
      }
    }
  }

  private static IcewalException notMarked(String key, PutOutcome put) {
    return new IcewalException(
        ErrorKind.UNAVAILABLE,
        "an epoch could not be marked as begun, so it was not published: " + key + " is not there",
        put instanceof PutOutcome.Unknown unknown ? unknown.cause() : null);
  }
}
