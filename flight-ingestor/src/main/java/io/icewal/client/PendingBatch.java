package io.icewal.client;

import io.icewal.protocol.PutAnswer;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/// A batch that is not answered yet. Owns its buffers until closed.
///
/// Thread-safe: an answer may come, or the stream be given up, while the batch is being sent again;
/// its buffers stay until that is done.
final class PendingBatch implements AutoCloseable {
  private final ArrowRecordBatch rows;
  private final long sequence;
  private final long bytes;
  private final CompletableFuture<PutAnswer> answer = new CompletableFuture<>();
  private boolean closed;

  PendingBatch(ArrowRecordBatch rows, long sequence) {
    this.rows = rows;
    this.sequence = sequence;
    this.bytes = rows.computeBodyLength();
  }

  long bytes() {
    return bytes;
  }

  /// Completes with the server's answer.
  CompletableFuture<PutAnswer> answer() {
    return answer;
  }

  /// Sends the batch, unless it is closed by now.
  synchronized void sendOn(PutConnection connection) {
    if (!closed) {
      connection.send(rows, sequence);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    rows.close();
  }
}
