package io.icewal.wal;

import com.google.protobuf.InvalidProtocolBufferException;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.storage.StoredBytes;
import io.icewal.wal.proto.WalProto;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The boundaries of one log and their summaries. Thread-safe.
///
/// Rounds are dense and their objects are never deleted, so the newest is found from any known one
/// by asking for the next until there is none. Only a process that knows none asks for a list.
final class BoundaryLog {
  private final ObjectStore store;
  private final LogName log;
  private volatile Boundary known = Boundary.NONE;
  private volatile boolean listed;
  private volatile @Nullable Read lastRead;

  /// Summaries never change: the last one that was read is kept, so that readers of a log that is
  /// not being trimmed need not ask for it again.
  private record Read(Boundary boundary, Summary summary) {}

  BoundaryLog(ObjectStore store, LogName log) {
    this.store = store;
    this.log = log;
  }

  /// The newest boundary: one GET if it has not moved since the last call.
  Boundary newest() {
    if (!listed) {
      known = hint();
      listed = true;
    }
    return newestAfter(known);
  }

  /// The newest boundary, looked for from one that is known.
  Boundary newestAfter(Boundary from) {
    Boundary newest = from.k() > known.k() ? from : known;
    Optional<Boundary> next = get(newest.k() + 1);
    while (next.isPresent()) {
      if (next.get().number() <= newest.number()) {
        throw new IcewalException(
            ErrorKind.CORRUPT, "boundary " + next.get() + " is not above " + newest + " in " + log);
      }
      newest = next.get();
      next = get(newest.k() + 1);
    }
    known = newest;
    return newest;
  }

  /// The boundary of the first round that trimmed more than a number.
  ///
  /// @param number below the newest boundary's
  Boundary firstAbove(long number) {
    Boundary above = newest();
    long below = 0;
    while (below + 1 < above.k()) {
      long middle = (below + above.k()) >>> 1;
      Boundary boundary =
          get(middle)
              .orElseThrow(
                  () ->
                      Sealed.corrupt(
                          Paths.boundary(log, middle), "is missing, a later one is there"));
      if (boundary.number() > number) {
        above = boundary;
      } else {
        below = middle;
      }
    }
    if (above.number() <= number) {
      throw new IllegalArgumentException(number + " is not below the newest boundary, " + above);
    }
    return above;
  }

  /// The boundary of a round.
  Optional<Boundary> get(long round) {
    return store
        .get(Paths.boundary(log, round), ByteRange.ALL)
        .map(stored -> decode(round, stored));
  }

  /// The summary of a boundary.
  ///
  /// @throws IcewalException CONFLICT if it is gone, because newer ones are there
  Summary summary(Boundary boundary) {
    if (boundary.k() == 0) {
      return Summary.EMPTY;
    }
    Read last = lastRead;
    if (last != null && last.boundary().equals(boundary)) {
      return last.summary();
    }
    StoredBytes stored =
        store.get(boundary.summaryKey(), ByteRange.ALL).orElseThrow(() -> gone(boundary));
    Summary summary = SummaryCodec.decode(log, boundary, stored);
    lastRead = new Read(boundary, summary);
    return summary;
  }

  private IcewalException gone(Boundary boundary) {
    Boundary newest = newestAfter(boundary);
    return newest.k() == boundary.k()
        ? Sealed.corrupt(
            boundary.summaryKey(), "is missing, though it belongs to the newest boundary")
        : new IcewalException(
            ErrorKind.CONFLICT,
            "summary "
                + boundary.summaryKey()
                + " is gone, boundary is "
                + newest
                + ": start over");
  }

  /// Stores a boundary if its round has none.
  PutOutcome put(Boundary boundary) {
    byte[] body =
        WalProto.Boundary.newBuilder()
            .setRound(boundary.k())
            .setNumber(boundary.number())
            .setSummary(boundary.summaryKey())
            .build()
            .toByteArray();
    return store.putIfAbsent(
        Paths.boundary(log, boundary.k()), List.of(Sealed.seal(Sealed.BOUNDARY, body)));
  }

  private Boundary hint() {
    List<ObjectMeta> newest = store.list(Paths.boundaries(log), "", 1);
    if (newest.isEmpty()) {
      return Boundary.NONE;
    }
    String key = newest.get(0).key();
    return get(Paths.boundaryRound(key))
        .orElseThrow(
            () ->
                new IcewalException(
                    ErrorKind.CORRUPT,
                    "boundary " + key + " is listed but absent; boundaries are never deleted"));
  }

  private Boundary decode(long round, StoredBytes stored) {
    String what = stored.meta().key();
    try {
      WalProto.Boundary boundary =
          WalProto.Boundary.parseFrom(Sealed.openWhole(Sealed.BOUNDARY, stored.bytes(), what));
      if (boundary.getRound() == round) {
        return new Boundary(round, boundary.getNumber(), boundary.getSummary());
      }
      throw Sealed.corrupt(what, "is of round " + boundary.getRound() + ", expected " + round);
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw new IcewalException(ErrorKind.CORRUPT, what + " cannot be understood", e);
    }
  }
}
