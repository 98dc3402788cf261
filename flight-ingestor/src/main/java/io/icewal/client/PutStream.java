package io.icewal.client;

import io.grpc.Channel;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.ErrorBody;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/// Sends batches in order, several under way at a time, each named by (producer, sequence), so that
/// each is stored exactly once whatever happens to the connection or the server.
///
/// 1. [#send] takes a batch's buffers and queues it; it waits while too much is unanswered.
/// 2. The stream's own thread sends queued batches as the connection takes them.
/// 3. Answers come in order; each completes its batch's future and releases its buffers.
/// 4. A call that ends early with UNAVAILABLE or without a clear outcome is made again after a
///    pause: all unanswered batches are sent again, in order, under the same numbers. Any other
///    error fails all of them, and the stream is over; so does a server that answers nothing at all
///    for longer than the limits' patience.
///
/// Used by one thread at a time; futures complete on a thread of gRPC.
public final class PutStream implements AutoCloseable {
  private static final long BACKOFF_MILLIS_MIN = 50;
  private static final long BACKOFF_MILLIS_MAX = 2_000;

  private final Channel channel;
  private final PutRequest request;
  private final Schema schema;
  private final PutLimits limits;
  private final Thread sender;
  private final Object lock = new Object();

  // All below is guarded by lock.
  private final ArrayDeque<PendingBatch> unanswered = new ArrayDeque<>();
  private final ArrayDeque<PendingBatch> unsent = new ArrayDeque<>();
  private final List<Thread> completing = new ArrayList<>();
  private long unansweredBytes;
  private long nextSequence;
  private @Nullable PutConnection connection;
  private @Nullable IcewalException failure;
  private boolean closing;
  private long backoffMillis = BACKOFF_MILLIS_MIN;
  private long retryNanos = System.nanoTime();
  private long progressNanos = System.nanoTime();

  /// When the server last said anything, a refusal too.
  private long heardNanos = progressNanos;

  PutStream(Channel channel, PutRequest request, Schema schema, PutLimits limits) {
    this.channel = channel;
    this.request =
        request.producer() != null
            ? request
            : request.withProducer(UUID.randomUUID().toString(), 0);
    this.schema = schema;
    this.limits = limits;
    this.nextSequence = this.request.sequence() == null ? 0 : this.request.sequence();
    this.sender = new Thread(this::run, "icewal-put-" + request.table());
    sender.setDaemon(true);
    sender.start();
  }

  /// Name of the producer whose batches these are.
  public String producer() {
    return String.valueOf(request.producer());
  }

  /// Sends a batch under the next number. The root is empty afterwards and may be filled again.
  ///
  /// @return completes with the answer, or exceptionally with an [IcewalException]
  public CompletableFuture<PutAnswer> send(VectorSchemaRoot batch) {
    synchronized (lock) {
      return send(batch, nextSequence);
    }
  }

  /// Sends a batch under a number of the caller's, such as that of a rejected batch once corrected.
  /// Later batches count on from the highest number so far.
  public CompletableFuture<PutAnswer> send(VectorSchemaRoot batch, long sequence) {
    PendingBatch pending =
        new PendingBatch(new VectorUnloader(batch, true, true).getRecordBatch(), sequence);
    batch.clear();
    synchronized (lock) {
      while (failure == null && !closing && isFull(pending.bytes())) {
        awaitChange(0);
      }
      if (failure != null || closing) {
        pending.close();
        return CompletableFuture.failedFuture(
            failure != null
                ? failure
                : new IcewalException(ErrorKind.INVALID, "put stream is closed"));
      }
      nextSequence = Math.max(nextSequence, sequence + 1);
      if (unanswered.isEmpty()) {
        progressNanos = System.nanoTime();
        heardNanos = progressNanos;
      }
      unanswered.add(pending);
      unsent.add(pending);
      unansweredBytes += pending.bytes();
      lock.notifyAll();
    }
    return pending.answer();
  }

  private boolean isFull(long bytes) {
    return unanswered.size() >= limits.unansweredBatchesMax()
        || (!unanswered.isEmpty() && unansweredBytes + bytes > limits.unansweredBytesMax());
  }

  /// Waits until every batch so far is answered, and its future complete.
  ///
  /// @throws IcewalException if one was not
  public void awaitAnswers() {
    synchronized (lock) {
      while (!unanswered.isEmpty() || isCompleting()) {
        awaitChange(0);
      }
      if (failure != null) {
        throw failure;
      }
    }
  }

  /// Whether another thread is about to complete a future; what this one does in a future's
  /// callback it need not wait for.
  private boolean isCompleting() {
    Thread own = Thread.currentThread();
    return !own.isInterrupted() && completing.stream().anyMatch(thread -> thread != own);
  }

  /// Sends what is queued, waits for all answers and ends the stream. All futures are complete
  /// then.
  ///
  /// @throws IcewalException if a batch was not answered
  @Override
  public void close() {
    synchronized (lock) {
      closing = true;
      lock.notifyAll();
    }
    boolean interrupted = false;
    while (sender.isAlive()) {
      try {
        sender.join();
      } catch (InterruptedException e) {
        interrupted = true;
        fail(new IcewalException(ErrorKind.UNKNOWN, "put stream was interrupted", e));
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (lock) {
      while (isCompleting()) {
        awaitChange(0);
      }
      if (failure != null) {
        throw failure;
      }
    }
  }

  private void run() {
    try {
      while (step()) {}
    } catch (IcewalException e) {
      fail(e);
    } catch (RuntimeException e) {
      fail(new IcewalException(ErrorKind.INTERNAL, "put stream failed: " + e.getMessage(), e));
    }
    IcewalException gaveUp;
    synchronized (lock) {
      gaveUp = failure;
    }
    if (gaveUp != null) {
      fail(gaveUp);
    }
  }

  /// Ends the stream from within the lock. The sender's thread fails what is unanswered then: no
  /// callback of a future must run under the lock.
  private void giveUp(IcewalException error) {
    if (failure == null) {
      failure = error;
    }
    lock.notifyAll();
  }

  /// Does the one thing that can be done next.
  ///
  /// @return whether there is more to come
  private boolean step() {
    PutConnection current;
    PendingBatch next;
    synchronized (lock) {
      if (failure != null) {
        return false;
      }
      current = connection;
      if (unanswered.isEmpty() && closing) {
        if (current != null) {
          current.halfClose();
        }
        return false;
      }
      if (unsent.isEmpty() || (current != null && !current.isReady())) {
        return awaitAnswer();
      }
      if (current == null) {
        connect();
        return true;
      }
      next = unsent.remove();
    }
    next.sendOn(current);
    return true;
  }

  /// Waits for whatever comes next.
  ///
  /// @return false if the server has been silent for too long
  private boolean awaitAnswer() {
    if (unanswered.isEmpty()) {
      awaitChange(0);
      return true;
    }
    long silentNanos = System.nanoTime() - heardNanos;
    long leftMillis = limits.silence().toMillis() - silentNanos / 1_000_000;
    if (leftMillis > 0) {
      awaitChange(leftMillis);
      return true;
    }
    giveUp(
        new IcewalException(
            ErrorKind.UNKNOWN,
            "server has answered nothing for "
                + limits.silence().toMillis()
                + " ms: whether the unanswered batches are stored is not known"));
    return false;
  }

  private void connect() {
    long pauseMillis = (retryNanos - System.nanoTime()) / 1_000_000;
    if (pauseMillis > 0) {
      awaitChange(pauseMillis);
    } else {
      connection = new PutConnection(this, channel, request, schema);
    }
  }

  /// Waits for a notification, or the time if it is not 0, or nothing at all: callers look again.
  @SuppressWarnings("WaitNotInLoop")
  private void awaitChange(long millis) {
    try {
      lock.wait(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      giveUp(new IcewalException(ErrorKind.UNKNOWN, "put stream was interrupted", e));
    }
  }

  /// The connection may take more.
  void onReady() {
    synchronized (lock) {
      lock.notifyAll();
    }
  }

  /// The first unanswered batch is answered.
  void onAnswer(PutConnection source, PutAnswer answer) {
    PendingBatch answered;
    synchronized (lock) {
      if (source != connection || unanswered.isEmpty() || unanswered.peek() == unsent.peek()) {
        return; // An answer of a call that is given up: the batch is already on its way again.
      }
      answered = unanswered.remove();
      unansweredBytes -= answered.bytes();
      backoffMillis = BACKOFF_MILLIS_MIN;
      progressNanos = System.nanoTime();
      heardNanos = progressNanos;
      completing.add(Thread.currentThread());
      lock.notifyAll();
    }
    try {
      answered.close();
      answered.answer().complete(answer);
    } finally {
      completed();
    }
  }

  private void completed() {
    synchronized (lock) {
      completing.remove(Thread.currentThread());
      lock.notifyAll();
    }
  }

  /// The call is over.
  void onEnd(PutConnection source, ErrorBody error) {
    IcewalException cause = new IcewalException(error.kind(), error.message());
    boolean again = error.kind() == ErrorKind.UNAVAILABLE || error.kind() == ErrorKind.UNKNOWN;
    synchronized (lock) {
      if (source != connection) {
        return;
      }
      heardNanos = System.nanoTime();
      long idleNanos = heardNanos - progressNanos;
      if (again && (unanswered.isEmpty() || idleNanos < limits.patience().toNanos())) {
        unsent.clear();
        unsent.addAll(unanswered);
        pauseBeforeRetry(error.retryAfterMillis());
        connection = null;
        lock.notifyAll();
        return;
      }
    }
    fail(cause);
  }

  private void pauseBeforeRetry(long askedMillis) {
    long pause = Math.max(askedMillis, backoffMillis);
    backoffMillis = Math.min(backoffMillis * 2, BACKOFF_MILLIS_MAX);
    retryNanos = System.nanoTime() + pause * 1_000_000;
  }

  private void fail(IcewalException error) {
    List<PendingBatch> failed;
    PutConnection last;
    synchronized (lock) {
      if (failure == null) {
        failure = error;
      }
      failed = new ArrayList<>(unanswered);
      unanswered.clear();
      unsent.clear();
      unansweredBytes = 0;
      last = connection;
      connection = null;
      completing.add(Thread.currentThread());
      lock.notifyAll();
    }
    try {
      if (last != null) {
        last.cancel();
      }
      for (PendingBatch batch : failed) {
        batch.close();
        batch.answer().completeExceptionally(error);
      }
    } finally {
      completed();
    }
  }
}
