package io.icewal.flight;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.icewal.ingest.BatchAnswer;
import io.icewal.ingest.IngestLimits;
import io.icewal.ingest.IngestStream;
import io.icewal.ingest.Ingestor;
import io.icewal.ingest.StreamOptions;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowOp;
import io.icewal.protocol.BatchMetadata;
import io.icewal.protocol.ErrorBody;
import io.icewal.protocol.Errors;
import io.icewal.protocol.FlightFrame;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutOp;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.grpc.StatusUtils;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One DoPut call.
///
/// 1. The first message brings descriptor and schema: the stream to the table is opened.
/// 2. Each batch is validated while its message is handled, on a thread of gRPC; one message more
///    is asked for meanwhile, unless too many batches are unanswered or the client does not read
///    its answers. So back-pressure is Flight's own, and a stream holds two messages at most.
/// 3. Answers are sent in the order of the batches, on the thread that made them durable.
/// 4. The first error ends the call, once what was taken before it is answered; nothing is answered
///    after it.
///
/// gRPC calls the listener's methods one at a time; answers come from the log's thread at the same
/// moment. What both touch is guarded by `lock`; the decoder belongs to the listener alone.
final class PutCall extends ServerCall.Listener<FlightFrame> {
  private static final Logger LOG = LoggerFactory.getLogger(PutCall.class);

  /// Enough for four flushes a second of a stream of tiny batches; bytes are bounded elsewhere.
  private static final int UNANSWERED_MAX = 1_024;

  private final ServerCall<FlightFrame, PutResult> call;
  private final Ingestor ingestor;
  private final ArrowDecoder decoder;
  private final AnswerBacklog backlog;
  private final Consumer<PutCall> atEnd;
  private @Nullable PutRequest request;
  private @Nullable IngestStream stream;
  private long nextSequence = -1;

  private final Object lock = new Object();
  private int unanswered;

  /// Bytes of answers since the client last took all: this call's part of the backlog.
  private long unreadBytes;

  private boolean asked;

  /// A message is being taken in: what becomes of it is not known yet.
  private boolean taking;

  /// How the call ends once what was taken before is answered.
  private @Nullable Ending ending;

  private boolean halfClosed;
  private boolean draining;
  private boolean ended;

  private record Ending(Status status, Metadata trailers) {}

  /// @param atEnd told once when the call is over
  PutCall(
      ServerCall<FlightFrame, PutResult> call,
      Ingestor ingestor,
      BufferAllocator allocator,
      AnswerBacklog backlog,
      Consumer<PutCall> atEnd) {
    this.call = call;
    this.ingestor = ingestor;
    IngestLimits limits = ingestor.limits();
    this.decoder = new ArrowDecoder(allocator, limits.batchRowsMax(), limits.batchBytesMax());
    this.backlog = backlog;
    this.atEnd = atEnd;
  }

  void start() {
    call.sendHeaders(new Metadata());
    ask();
  }

  /// Asks for the next message if it can be taken now.
  private void ask() {
    synchronized (lock) {
      if (!asked && !isOver() && !halfClosed && !draining && mayAsk()) {
        asked = true;
        call.request(1);
      }
    }
  }

  private boolean mayAsk() {
    return unanswered < UNANSWERED_MAX
        && (call.isReady() || (unanswered == 0 && backlog.hasRoom()));
  }

  @Override
  public void onMessage(FlightFrame frame) {
    synchronized (lock) {
      asked = false;
      taking = true;
    }
    ask(); // The network brings the next message while this one is validated.
    try (frame) {
      if (!isOver()) {
        take(frame);
      }
    } catch (IcewalException e) {
      endAfterAnswers(ending(e));
    } catch (FlightRuntimeException e) {
      endAfterAnswers(new Ending(StatusUtils.toGrpcStatus(e.status()), new Metadata()));
    } catch (RuntimeException e) {
      endAfterAnswers(
          ending(new IcewalException(ErrorKind.INTERNAL, "put stream failed: " + e, e)));
    }
    synchronized (lock) {
      taking = false;
    }
    endIfAllAnswered();
    ask();
  }

  /// Whether nothing more is taken in.
  private boolean isOver() {
    synchronized (lock) {
      return ended || ending != null;
    }
  }

  private void endAfterAnswers(Ending error) {
    synchronized (lock) {
      if (ending == null) {
        ending = error;
      }
    }
  }

  private void take(FlightFrame frame) {
    IcewalException fault = frame.fault();
    if (fault != null) {
      throw fault;
    }
    if (frame.descriptor().length > 0) {
      describe(frame.descriptor());
    }
    if (frame.header().length == 0) {
      if (frame.metadata().length > 0) {
        throw new IcewalException(
            ErrorKind.INVALID, "app_metadata without a batch means nothing in a put stream");
      }
      return;
    }
    switch (ArrowDecoder.kind(frame.header())) {
      case MessageHeader.Schema -> open(decoder.readSchema(frame.header()));
      case MessageHeader.DictionaryBatch -> decoder.readDictionary(frame);
      case MessageHeader.RecordBatch -> submit(frame);
      default ->
          throw new IcewalException(
              ErrorKind.INVALID,
              "put stream with a message that is no schema, dictionary or batch");
    }
  }

  private void describe(byte[] text) {
    if (request != null) {
      return; // Some clients repeat the descriptor with every message.
    }
    try {
      Flight.FlightDescriptor descriptor = Flight.FlightDescriptor.parseFrom(text);
      request =
          switch (descriptor.getType()) {
            case PATH -> PutRequest.ofPath(descriptor.getPathList());
            case CMD -> command(descriptor.getCmd().toByteArray());
            default ->
                throw new IcewalException(
                    ErrorKind.INVALID, "descriptor must be a path or a command");
          };
    } catch (InvalidProtocolBufferException e) {
      throw new IcewalException(ErrorKind.INVALID, "descriptor cannot be read", e);
    }
  }

  private static PutRequest command(byte[] command) {
    if (!Commands.isJson(command)) {
      throw Commands.unimplemented("DoPut with a Flight SQL command");
    }
    return PutRequest.parse(command);
  }

  private void open(Schema schema) {
    PutRequest wanted = request;
    if (wanted == null) {
      throw new IcewalException(
          ErrorKind.INVALID, "put stream without a descriptor: send the table's name as its path");
    }
    StreamOptions options =
        new StreamOptions(
            StreamOptions.Mode.valueOf(wanted.mode().name()),
            StreamOptions.Op.valueOf(op(wanted, schema).name()),
            wanted.producer());
    stream = ingestor.open(wanted.table(), options, schema, decoder.dictionaries());
    nextSequence = wanted.sequence() == null ? -1 : wanted.sequence();
  }

  private static PutOp op(PutRequest wanted, Schema schema) {
    PutOp op = wanted.op();
    boolean column =
        schema.getFields().stream().anyMatch(field -> field.getName().equals(RowOp.COLUMN));
    if (op != null && (op == PutOp.COLUMN) != column) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "op '"
              + op.name().toLowerCase(Locale.ROOT)
              + "' with a stream that has "
              + (column ? "a" : "no")
              + " column "
              + RowOp.COLUMN);
    }
    return op != null ? op : column ? PutOp.COLUMN : PutOp.UPSERT;
  }

  private void submit(FlightFrame frame) {
    IngestStream target = stream;
    if (target == null) {
      throw new IcewalException(ErrorKind.INVALID, "batch before the schema");
    }
    Long sequence = sequence(BatchMetadata.parse(frame.metadata()).sequence());
    VectorSchemaRoot rows = decoder.readBatch(frame);
    synchronized (lock) {
      unanswered++;
    }
    CompletableFuture<?> unused = // Its callback fails never: it ends the call instead.
        target
            .submit(rows, decoder.dictionaries(), sequence == null ? 0 : sequence)
            .whenComplete((answer, error) -> answered(sequence, answer, error));
    decoder.clear();
  }

  /// The number of a batch: the one it brings, or the next.
  private @Nullable Long sequence(@Nullable Long own) {
    String producer = request == null ? null : request.producer();
    if (producer == null) {
      if (own != null) {
        throw new IcewalException(
            ErrorKind.INVALID, "batch with a sequence in a stream without a producer");
      }
      return null;
    }
    if (own == null && nextSequence < 0) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "producer '"
              + producer
              + "' needs a sequence: in the descriptor for the first batch, or in each batch's"
              + " app_metadata");
    }
    long sequence = own != null ? own : nextSequence;
    nextSequence = sequence + 1;
    return sequence;
  }

  private void answered(
      @Nullable Long sequence, @Nullable BatchAnswer answer, @Nullable Throwable error) {
    if (answer == null) {
      end(ending(asIcewal(error)));
      return;
    }
    try {
      send(answer, sequence);
    } catch (RuntimeException e) {
      end(ending(new IcewalException(ErrorKind.INTERNAL, "answer could not be sent: " + e, e)));
    }
    endIfAllAnswered();
    ask();
  }

  private void send(BatchAnswer answer, @Nullable Long sequence) {
    PutResult result =
        PutResult.newBuilder()
            .setAppMetadata(UnsafeByteOperations.unsafeWrap(toWire(answer, sequence).toJson()))
            .build();
    synchronized (lock) {
      unanswered--;
      if (!ended) {
        call.sendMessage(result);
        countUnread(result.getSerializedSize());
      }
    }
  }

  /// @param more bytes of an answer just sent; 0 to look again
  private void countUnread(int more) {
    long now = ended || call.isReady() ? 0 : unreadBytes + more;
    backlog.add(now - unreadBytes);
    unreadBytes = now;
  }

  private static PutAnswer toWire(BatchAnswer answer, @Nullable Long sequence) {
    return new PutAnswer(
        PutStatus.valueOf(answer.status().name()),
        answer.rows(),
        answer.position(),
        answer.verdicts(),
        answer.more(),
        sequence);
  }

  private static IcewalException asIcewal(@Nullable Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof IcewalException known
        ? known
        : new IcewalException(ErrorKind.INTERNAL, "batch failed: " + cause, cause);
  }

  @Override
  public void onHalfClose() {
    synchronized (lock) {
      halfClosed = true;
    }
    endIfAllAnswered();
  }

  /// The server goes away: takes no more batches, answers those it has, and ends the call.
  void drain() {
    synchronized (lock) {
      draining = true;
    }
    endIfAllAnswered();
  }

  /// A message grows beyond the bound.
  void refuse(IcewalException error) {
    end(new Ending(InboundLimit.status(error), InboundLimit.trailers(error)));
  }

  private void endIfAllAnswered() {
    synchronized (lock) {
      if (ended || taking || unanswered > 0) {
        return;
      }
      if (ending != null) {
        end(ending);
      } else if (halfClosed) {
        end(new Ending(Status.OK, new Metadata()));
      } else if (draining) {
        end(
            ending(
                new IcewalException(
                    ErrorKind.UNAVAILABLE,
                    "server is shutting down; send what is not answered to another one")));
      }
    }
  }

  private Ending ending(IcewalException error) {
    if (error.kind() == ErrorKind.INTERNAL) {
      LOG.error("put stream {} failed", request, error);
    }
    ErrorBody body = Errors.body(error);
    return new Ending(Errors.toGrpc(body, error), Errors.trailers(body));
  }

  private void end(Ending how) {
    synchronized (lock) {
      if (!ended) {
        ended = true;
        call.close(how.status(), how.trailers());
      }
    }
  }

  @Override
  public void onReady() {
    synchronized (lock) {
      countUnread(0);
    }
    ask();
  }

  @Override
  public void onCancel() {
    over();
  }

  @Override
  public void onComplete() {
    over();
  }

  /// The last of gRPC's calls. Batches that were submitted go their way, unanswered.
  private void over() {
    synchronized (lock) {
      ended = true;
      countUnread(0);
    }
    decoder.close();
    atEnd.accept(this);
  }
}
