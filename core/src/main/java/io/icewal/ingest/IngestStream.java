package io.icewal.ingest;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.model.ProducerSequence;
import io.icewal.model.RowBatch;
import io.icewal.model.Verdict;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.BlockHeader;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/// One ordered stream of batches into one table.
///
/// Batches are submitted from one thread at a time. Their answers complete in the same order, on
/// whichever thread drives the log. The first answer that is an error ends the stream: every later
/// one fails too. Where an append failed, what was pending behind it is not appended.
public final class IngestStream {
  /// What a batch of any size costs on the heap until its answer: vectors, futures, verdicts.
  private static final int BATCH_BYTES = 16 << 10;

  private static final int COLUMN_BYTES = 2 << 10;

  private final Ingestor ingestor;
  private final StreamOptions options;
  private final Schema arrowSchema;
  private final StreamState state = new StreamState();
  private IngestTable table;
  private RowPlan plan;

  /// Completes when every batch so far is answered; fails when one of them failed.
  private CompletableFuture<?> answered = CompletableFuture.completedFuture(null);

  IngestStream(
      Ingestor ingestor,
      StreamOptions options,
      Schema arrowSchema,
      IngestTable table,
      RowPlan plan) {
    this.ingestor = ingestor;
    this.options = options;
    this.arrowSchema = arrowSchema;
    this.table = table;
    this.plan = plan;
  }

  /// Validates a batch and hands its rows to the log. Validation happens now; the answer comes when
  /// the rows are durable, or at once when none are. Waits a bounded time when too many bytes are
  /// pending.
  ///
  /// The caller keeps the batch and may clear or reload it as soon as this returns, but must not
  /// overwrite its buffers in place before the answer: unchanged columns are shared, not copied.
  ///
  /// @param batch of the stream's schema
  /// @param dictionaries the dictionaries as this batch needs them
  /// @param sequence the producer's number for this batch; ignored in a stream without producer
  /// @return the answer. It fails with an [IcewalException], and the stream with it, when the batch
  ///   was not taken (UNAVAILABLE) or its outcome is not known (UNKNOWN)
  public CompletableFuture<BatchAnswer> submit(
      VectorSchemaRoot batch, DictionaryProvider dictionaries, long sequence) {
    CompletableFuture<BatchAnswer> own;
    try {
      own = take(batch, dictionaries, producerSequence(sequence));
    } catch (IcewalException e) {
      state.refuse(e);
      own = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<BatchAnswer> answer = own;
    CompletableFuture<BatchAnswer> inOrder =
        answered
            .handle((before, failure) -> failure == null)
            .thenCompose(good -> good ? answer : answer.thenCompose(this::unsaid));
    answered = inOrder;
    return inOrder;
  }

  /// An answer that cannot be given, because an earlier batch has none.
  private CompletableFuture<BatchAnswer> unsaid(BatchAnswer answer) {
    boolean stored = answer.position() != null;
    return CompletableFuture.failedFuture(
        state.afterEnd(stored ? ErrorKind.UNKNOWN : ErrorKind.UNAVAILABLE));
  }

  private @Nullable ProducerSequence producerSequence(long sequence) {
    String producer = options.producer();
    if (producer == null) {
      return null;
    }
    if (sequence < 0) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "producer '" + producer + "' gave sequence " + sequence + "; expected >= 0");
    }
    return new ProducerSequence(producer, sequence);
  }

  private CompletableFuture<BatchAnswer> take(
      VectorSchemaRoot batch,
      DictionaryProvider dictionaries,
      @Nullable ProducerSequence producer) {
    if (state.hasEnded()) {
      throw state.afterEnd(ErrorKind.UNAVAILABLE);
    }
    ingestor.checkOpen();
    if (!batch.getSchema().equals(arrowSchema)) {
      throw new IcewalException(
          ErrorKind.INVALID, "batch has another schema than its stream: " + batch.getSchema());
    }
    List<Verdict> unfit = followTable(dictionaries);
    if (!unfit.isEmpty()) {
      return rejected(unfit, 0);
    }
    long inputBytes = InputBytes.of(batch);
    long fixedBytes = BATCH_BYTES + (long) COLUMN_BYTES * arrowSchema.getFields().size();
    Verdict tooLarge = tooLarge(batch.getRowCount(), inputBytes, fixedBytes);
    if (tooLarge != null) {
      return rejected(List.of(tooLarge), 0);
    }
    admit(fixedBytes + inputBytes);
    Admission admission = new Admission(fixedBytes + inputBytes);
    try {
      return validate(batch, dictionaries, producer, admission, fixedBytes);
    } catch (OutOfMemoryException e) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "not taken: no memory to convert a batch of " + inputBytes + " bytes",
          e);
    } finally {
      admission.releaseUnlessHandedOver();
    }
  }

  /// Plans anew when the table's schema has changed since the last batch.
  ///
  /// @return why the stream's columns do not fit any more
  private List<Verdict> followTable(DictionaryProvider dictionaries) {
    IngestTable now = ingestor.tables().current(table.name());
    if (now == table) {
      return List.of();
    }
    if (!now.id().equals(table.id())) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "table "
              + table.name()
              + " is another one now: UUID "
              + now.id()
              + ", the stream was opened on "
              + table.id()
              + "; open a new stream");
    }
    if (!now.isPlannedAs(table)) {
      try {
        plan = RowPlan.of(now, options.op(), arrowSchema, dictionaries);
      } catch (IcewalException e) {
        if (e.verdicts().isEmpty()) {
          throw e;
        }
        return e.verdicts();
      }
    }
    table = now;
    return List.of();
  }

  private @Nullable Verdict tooLarge(int rows, long bytes, long fixedBytes) {
    IngestLimits limits = ingestor.limits();
    if (rows > limits.batchRowsMax()) {
      return Rules.batchTooLarge(rows + " rows", limits.batchRowsMax() + " rows");
    }
    if (bytes > limits.batchBytesMax()) {
      return Rules.batchTooLarge(bytes + " bytes", limits.batchBytesMax() + " bytes");
    }
    if (bytes + fixedBytes > limits.pendingBytesMax()) {
      // No wait would ever be long enough.
      return Rules.batchTooLarge(
          bytes + fixedBytes + " bytes, its columns counted", limits.pendingBytesMax() + " bytes");
    }
    return null;
  }

  private void admit(long bytes) {
    IngestLimits limits = ingestor.limits();
    try {
      if (ingestor.budget().acquire(bytes, limits.admissionWait())) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IcewalException(
        ErrorKind.UNAVAILABLE,
        "not taken: "
            + ingestor.pendingBytes()
            + " bytes of "
            + limits.pendingBytesMax()
            + " wait for the log, no room for "
            + bytes
            + " more; retry after "
            + limits.retryAfter().toMillis()
            + " ms");
  }

  private CompletableFuture<BatchAnswer> validate(
      VectorSchemaRoot batch,
      DictionaryProvider dictionaries,
      @Nullable ProducerSequence producer,
      Admission admission,
      long fixedBytes) {
    RowValidator validator =
        new RowValidator(plan, options.mode(), ingestor.limits(), ingestor.allocator());
    ValidatedBatch result = validator.validate(batch, dictionaries);
    RowBatch rows = result.rows();
    if (rows == null) {
      // Its answer waits for those before it, and holds its bytes as long.
      Runnable release = admission.handOver();
      answered.whenComplete((before, failure) -> release.run());
      return result.verdicts().isEmpty()
          ? done(new BatchAnswer(BatchAnswer.Status.OK, 0, null, List.of(), 0))
          : rejected(result.verdicts(), result.more());
    }
    Verdict tooLarge = tooLarge(rows.rowCount(), result.bytes(), fixedBytes);
    if (tooLarge != null) {
      rows.close();
      return rejected(List.of(tooLarge), 0);
    }
    try {
      admission.growTo(fixedBytes + result.bytes());
    } catch (IcewalException e) {
      rows.close();
      throw e;
    }
    return append(rows, result, producer, admission);
  }

  private CompletableFuture<BatchAnswer> append(
      RowBatch rows,
      ValidatedBatch result,
      @Nullable ProducerSequence producer,
      Admission admission) {
    BlockHeader header = plan.header(rows.kind());
    long rowCount = rows.rowCount();
    PendingBatch pending =
        new PendingBatch(
            new AppendBatch(header, producer, rows, null),
            result.bytes(),
            state,
            admission.handOver());
    CompletableFuture<BatchAnswer> answer =
        pending.answer().thenApply(position -> durable(result, rowCount, position));
    ingestor.commitOf(table.id()).offer(pending);
    return answer;
  }

  private static BatchAnswer durable(ValidatedBatch result, long rows, Position position) {
    BatchAnswer.Status status =
        result.verdicts().isEmpty() ? BatchAnswer.Status.OK : BatchAnswer.Status.PARTIAL;
    return new BatchAnswer(status, rows, position, result.verdicts(), result.more());
  }

  private static CompletableFuture<BatchAnswer> rejected(List<Verdict> verdicts, long more) {
    return done(new BatchAnswer(BatchAnswer.Status.REJECTED, 0, null, verdicts, more));
  }

  private static CompletableFuture<BatchAnswer> done(BatchAnswer answer) {
    return CompletableFuture.completedFuture(answer);
  }

  /// The bytes that one batch holds of the budget.
  private final class Admission {
    private long bytes;
    private boolean handedOver;

    Admission(long bytes) {
      this.bytes = bytes;
    }

    /// Conversion may have made more of the batch than was sent.
    void growTo(long bytesNow) {
      if (bytesNow > bytes) {
        // Given back and asked for anew as one piece: two streams that each hold a part and wait
        // for the rest would block one another.
        ingestor.budget().release(bytes);
        bytes = 0;
        admit(bytesNow);
        bytes = bytesNow;
      }
    }

    /// What gives the bytes back; from now on it is the caller's to run.
    Runnable handOver() {
      handedOver = true;
      long held = bytes;
      return () -> ingestor.budget().release(held);
    }

    void releaseUnlessHandedOver() {
      if (!handedOver) {
        ingestor.budget().release(bytes);
      }
    }
  }
}
