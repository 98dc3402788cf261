package io.icewal.trino.read;

import io.icewal.merge.KeyRange;
import io.icewal.read.TailPiece;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.metrics.Metrics;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The tail's splits first, then those of the files, each with the keys that hide rows of it. The
/// tail's keys are read when the first batch is asked for, not in the engine's thread.
final class FreshSplitSource implements ConnectorSplitSource {
  /// Rows of the tail that one split reads, in bytes of Arrow: enough to be worth a split, little
  /// enough that several workers share a long tail.
  private static final long PIECE_BYTES = 32L << 20;

  private final ConnectorSplitSource files;
  private final Pin pin;
  private final KeyRange wanted;
  private final Executor executor;
  private volatile @Nullable Queue<ConnectorSplit> tail;

  /// The parts of a file come one after the other.
  private volatile @Nullable KeysOfFile newest;

  private record KeysOfFile(String file, byte[] keys) {}

  /// @param wanted the keys that the scan can want
  FreshSplitSource(ConnectorSplitSource files, Pin pin, KeyRange wanted, Executor executor) {
    this.files = files;
    this.pin = pin;
    this.wanted = wanted;
    this.executor = executor;
  }

  @Override
  public CompletableFuture<List<ConnectorSplit>> getNextBatch(
      int maxSize, DynamicFilterSnapshot dynamicFilter) {
    Queue<ConnectorSplit> waiting = tail;
    if (waiting == null) {
      return CompletableFuture.supplyAsync(
          () -> {
            Queue<ConnectorSplit> planned = planTail();
            tail = planned;
            return take(planned, maxSize);
          },
          executor);
    }
    if (!waiting.isEmpty()) {
      return CompletableFuture.completedFuture(take(waiting, maxSize));
    }
    return files
        .getNextBatch(maxSize, dynamicFilter)
        .thenApplyAsync(splits -> splits.stream().map(this::withKeys).toList(), executor);
  }

  private Queue<ConnectorSplit> planTail() {
    Queue<ConnectorSplit> planned = new ArrayDeque<>();
    for (TailPiece piece : pin.cut(wanted).pieces(PIECE_BYTES, wanted)) {
      planned.add(new TailSplit(piece.toBytes(), piece.rows()));
    }
    return planned;
  }

  private static List<ConnectorSplit> take(Queue<ConnectorSplit> from, int count) {
    List<ConnectorSplit> taken = new ArrayList<>();
    while (taken.size() < count && !from.isEmpty()) {
      taken.add(from.remove());
    }
    return taken;
  }

  private ConnectorSplit withKeys(ConnectorSplit split) {
    IcebergSplit file = (IcebergSplit) split;
    byte[] keys = keysOf(file.path());
    return keys.length == 0 ? file : new BaseSplit(file, keys);
  }

  private byte[] keysOf(String file) {
    KeysOfFile known = newest;
    if (known == null || !known.file.equals(file)) {
      known = new KeysOfFile(file, pin.slice(file, wanted));
      newest = known;
    }
    return known.keys;
  }

  @Override
  public boolean isFinished() {
    Queue<ConnectorSplit> planned = tail;
    return planned != null && planned.isEmpty() && (pin.hidesAll() || files.isFinished());
  }

  /// Only scans of files alone execute anything on their table.
  @Override
  public Optional<List<Object>> getTableExecuteSplitsInfo() {
    return Optional.empty();
  }

  @Override
  public long getRequestedDynamicFilterWaitTimeoutMillis() {
    return files.getRequestedDynamicFilterWaitTimeoutMillis();
  }

  @Override
  public Metrics getMetrics() {
    return files.getMetrics();
  }

  @Override
  public void close() {
    files.close();
  }
}
