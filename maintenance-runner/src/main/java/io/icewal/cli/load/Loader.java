package io.icewal.cli.load;

import io.icewal.cli.json.JsonRows;
import io.icewal.cli.json.LineBatch;
import io.icewal.cli.json.NdjsonSource;
import io.icewal.client.IcewalClient;
import io.icewal.client.PutLimits;
import io.icewal.client.PutStream;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutMode;
import io.icewal.protocol.PutOp;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// Loads files into one table.
///
/// 1. A file is cut into batches of lines, always at the same places; a batch's number in its file
///    is its sequence number, and each file is a producer of its own ([ProducerNames]).
/// 2. A batch becomes Arrow columns; what does not fit is refused here, by row and column. In mode
///    reject such a batch is not sent at all, in mode partial its good rows are.
/// 3. Answers come while later batches are under way; each is brought back to the lines it is
///    about.
///
/// A batch that was refused leaves its number unused: the same file with its lines corrected in
/// place, loaded again under the same producer, adds just those batches. Not thread-safe.
public final class Loader {
  /// Enough to keep the server busy over several flushes; bounds the lines kept for their verdicts.
  private static final PutLimits LIMITS = new PutLimits(12, 64L << 20, Duration.ofMinutes(2));

  private final IcewalClient client;
  private final Schema schema;
  private final LoadOptions options;
  private final BufferAllocator allocator;
  private final @Nullable RejectFile rejects;
  private final Consumer<LoadSummary> progress;
  private final LoadSummary summary = new LoadSummary();
  private final ArrayDeque<SentBatch> unanswered = new ArrayDeque<>();

  /// @param schema of the table
  /// @param rejects gets the rows that do not go in, or null
  /// @param progress called after each batch
  public Loader(
      IcewalClient client,
      Schema schema,
      LoadOptions options,
      BufferAllocator allocator,
      @Nullable RejectFile rejects,
      Consumer<LoadSummary> progress) {
    this.client = client;
    this.schema = schema;
    this.options = options;
    this.allocator = allocator;
    this.rejects = rejects;
    this.progress = progress;
    if (options.op() == PutOp.DELETE && schema.identifierFieldIds().isEmpty()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "table " + options.table() + " is append-only: without a key no row can be deleted");
    }
  }

  public LoadSummary summary() {
    return summary;
  }

  /// Loads one file and waits until all of it is answered.
  ///
  /// @param in unpacked; closed at the end
  /// @param file its name, for producer and messages
  /// @throws IcewalException if the stream as a whole failed; the summary says how far it came
  public void load(InputStream in, String file) throws IOException {
    PutRequest request =
        PutRequest.of(options.table())
            .withMode(options.mode())
            .withOp(options.op())
            .withProducer(ProducerNames.of(options, file), 0);
    JsonRows.Columns columns =
        options.op() == PutOp.DELETE ? JsonRows.Columns.KEY : JsonRows.Columns.ALL;
    try (NdjsonSource source = new NdjsonSource(in, options.batchRows());
        JsonRows rows = new JsonRows(schema, columns, allocator)) {
      PutStream stream = client.put(request, rows.schema(), LIMITS);
      boolean whole = false;
      try {
        load(source, rows, stream, file);
        whole = true;
      } finally {
        unanswered.clear();
        close(stream, whole);
      }
    }
  }

  private void load(NdjsonSource source, JsonRows rows, PutStream stream, String file)
      throws IOException {
    for (LineBatch batch = source.next(); batch != null; batch = source.next()) {
      send(stream, rows, batch);
      while (!unanswered.isEmpty() && unanswered.element().answer().isDone()) {
        finish(unanswered.remove(), file);
      }
      progress.accept(summary);
    }
    while (!unanswered.isEmpty()) {
      finish(unanswered.remove(), file);
      progress.accept(summary);
    }
  }

  /// A stream that failed fails again when it is closed, and that is known already.
  private static void close(PutStream stream, boolean whole) {
    try {
      stream.close();
    } catch (IcewalException e) {
      if (whole) {
        throw e;
      }
    }
  }

  private void send(PutStream stream, JsonRows rows, LineBatch batch) throws IOException {
    JsonRows.Converted converted = rows.convert(batch);
    summary.addRead(batch.count());
    boolean refused = options.mode() == PutMode.REJECT && !converted.verdicts().isEmpty();
    CompletableFuture<PutAnswer> answer;
    if (refused || converted.lines().length == 0) {
      answer =
          CompletableFuture.completedFuture(
              new PutAnswer(PutStatus.REJECTED, 0, null, List.of(), 0, batch.sequence()));
    } else {
      answer = stream.send(converted.rows(), batch.sequence());
    }
    unanswered.add(new SentBatch(batch, converted.lines(), converted.verdicts(), answer));
  }

  private void finish(SentBatch sent, String file) throws IOException {
    PutAnswer answer = await(sent.answer());
    LineBatch batch = sent.batch();
    summary.addStored(answer.rows(), answer.position());
    summary.addRefused(batch.count() - answer.rows());
    if (answer.rows() == batch.count()) {
      return;
    }
    Map<Integer, List<Verdict>> byLine = new HashMap<>();
    for (Verdict verdict : sent.verdicts()) {
      byLine.merge((int) verdict.row(), List.of(verdict), Loader::concat);
    }
    for (Verdict verdict : answer.verdicts()) {
      int line = verdict.row() < 0 ? 0 : sent.sent()[(int) verdict.row()];
      byLine.merge(line, List.of(verdict), Loader::concat);
    }
    boolean whole = answer.status() == PutStatus.REJECTED;
    if (!whole) {
      summary.addUnnamed(Math.max(0, batch.count() - answer.rows() - byLine.size()));
    }
    for (int line = 0; line < batch.count(); line++) {
      List<Verdict> verdicts = byLine.getOrDefault(line, List.of());
      for (Verdict verdict : verdicts) {
        summary.addSample(file, batch.number(line), verdict);
      }
      if (rejects != null && (whole || !verdicts.isEmpty())) {
        rejects.add(file, batch, line, verdicts);
      }
    }
  }

  private static List<Verdict> concat(List<Verdict> a, List<Verdict> b) {
    return Stream.concat(a.stream(), b.stream()).toList();
  }

  private static PutAnswer await(CompletableFuture<PutAnswer> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IcewalException icewal) {
        throw icewal;
      }
      throw e;
    }
  }
}
