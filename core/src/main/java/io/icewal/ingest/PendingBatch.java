package io.icewal.ingest;

import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.model.RowBatch;
import io.icewal.wal.AppendBatch;
import java.util.concurrent.CompletableFuture;

/// A validated batch on its way into the log. Owns the rows and the admitted bytes; both are given
/// back exactly once, by whichever of [#succeed] and [#fail] is called.
final class PendingBatch {
  private final AppendBatch batch;
  private final long bytes;
  private final StreamState stream;
  private final Runnable release;
  private final CompletableFuture<Position> answer = new CompletableFuture<>();
  private boolean closed;

  /// @param bytes the bytes of the rows
  /// @param release gives the admitted bytes back
  PendingBatch(AppendBatch batch, long bytes, StreamState stream, Runnable release) {
    this.batch = batch;
    this.bytes = bytes;
    this.stream = stream;
    this.release = release;
  }

  AppendBatch batch() {
    return batch;
  }

  long bytes() {
    return bytes;
  }

  StreamState stream() {
    return stream;
  }

  /// The position at which the batch is durable, once it is.
  CompletableFuture<Position> answer() {
    return answer;
  }

  void succeed(Position position) {
    close();
    answer.complete(position);
  }

  /// Ends the stream too.
  void fail(IcewalException cause) {
    close();
    stream.fail(cause);
    answer.completeExceptionally(cause);
  }

  private void close() {
    if (closed) {
      throw new IllegalStateException("batch was answered twice");
    }
    closed = true;
    RowBatch rows = batch.rows();
    if (rows != null) {
      rows.close();
    }
    release.run();
  }
}
