package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.ProducerSequence;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import io.icewal.wal.LogRoot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullUnmarked // Nulls are part of what is tested.
class IngestorTest {
  private static final Schema SCHEMA =
      new Schema(
          0,
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));
  private static final StreamOptions PRODUCER =
      new StreamOptions(StreamOptions.Mode.REJECT, StreamOptions.Op.UPSERT, "p");
  private static final StreamOptions PARTIAL =
      new StreamOptions(StreamOptions.Mode.PARTIAL, StreamOptions.Op.UPSERT, null);

  private final Harness harness = new Harness();
  private final SettableClock clock = new SettableClock();
  private final LogRoot root =
      LogRoot.openOrCreate(new MemoryObjectStore(clock), 1, RandomGenerator.of("L64X128MixRandom"));
  private final LogName logName = root.log(0);
  private final FakeLog log = new FakeLog(logName);
  private final GroupCommit commit = new GroupCommit(log, GroupCommitLimits.defaults(), clock);
  private final Map<TableIdentifier, IngestTable> catalog = new HashMap<>();
  private final TableSchemas tables = new TableSchemas(this::load, clock);
  private IngestLimits limits =
      new IngestLimits(4 << 20, 2 << 20, 1 << 20, Duration.ZERO, Duration.ofSeconds(1), 3);
  private Ingestor ingestor = ingestor();

  IngestorTest() {
    catalog.put(Harness.NAME, Harness.table(SCHEMA));
  }

  private Ingestor ingestor() {
    return new Ingestor(root, Map.of(logName, commit), tables, limits, harness.out);
  }

  private IngestTable load(TableIdentifier name) {
    IngestTable table = catalog.get(name);
    if (table == null) {
      throw new org.apache.iceberg.exceptions.NoSuchTableException("no %s", name);
    }
    return table;
  }

  @AfterEach
  void nothingIsLeftOpen() {
    commit.close();
    assertThat(ingestor.pendingBytes()).isZero();
    harness.close();
  }

  private VectorSchemaRoot batch(Long... ids) {
    BigIntVector id = new BigIntVector("id", harness.in);
    VarCharVector v = new VarCharVector("v", harness.in);
    id.allocateNew(Math.max(1, ids.length));
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] == null) {
        id.setNull(i);
      } else {
        id.set(i, ids[i]);
      }
    }
    id.setValueCount(ids.length);
    v.setValueCount(ids.length);
    return Harness.rows(ids.length, v, id);
  }

  private IngestStream open(StreamOptions options) {
    try (VectorSchemaRoot empty = batch()) {
      return ingestor.open(Harness.NAME, options, empty.getSchema(), harness.dictionaries);
    }
  }

  private CompletableFuture<BatchAnswer> submit(IngestStream stream, long sequence, Long... ids) {
    try (VectorSchemaRoot batch = batch(ids)) {
      return stream.submit(batch, harness.dictionaries, sequence);
    }
  }

  private static IcewalException failure(CompletableFuture<?> answer) {
    assertThat(answer).isCompletedExceptionally();
    try {
      answer.join();
      throw new AssertionError("did not fail");
    } catch (CompletionException e) {
      return (IcewalException) e.getCause();
    }
  }

  @Test
  void anAnswerComesOnlyWhenTheRowsAreInTheLog() {
    CompletableFuture<BatchAnswer> answer = submit(open(PRODUCER), 0, 7L, 8L);
    assertThat(answer).isNotDone();
    assertThat(ingestor.pendingBytes()).isPositive();

    assertThat(commit.step()).isTrue();

    assertThat(answer.join())
        .isEqualTo(new BatchAnswer(BatchAnswer.Status.OK, 2, logName.at(1), List.of(), 0));
    AppendBatch appended = log.segments.get(0).get(0);
    assertThat(appended.producer()).isEqualTo(new ProducerSequence("p", 0));
    assertThat(appended.header().kind()).isEqualTo(BlockKind.UPSERT);
    assertThat(appended.header().tableId()).isEqualTo(new UUID(7, 9));
    assertThat(log.values).containsExactly(7L, 8L);
  }

  @Test
  void b142_aBatchWithOneBadRowIsRefusedWholeAndNamesIt() {
    Long[] ids = new Long[10_000];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = i == 7_777 ? null : (long) i;
    }
    IngestStream stream = open(PRODUCER);
    BatchAnswer answer = submit(stream, 0, ids).join();
    assertThat(answer.status()).isEqualTo(BatchAnswer.Status.REJECTED);
    assertThat(answer.rows()).isZero();
    assertThat(answer.verdicts()).hasSize(1);
    assertThat(answer.verdicts().get(0).row()).isEqualTo(7_777);
    assertThat(answer.verdicts().get(0).column()).isEqualTo("id");
    assertThat(commit.step()).isFalse();

    // The stream lives on, and the same sequence can be sent again, corrected.
    CompletableFuture<BatchAnswer> corrected = submit(stream, 0, 1L);
    commit.step();
    assertThat(corrected.join().status()).isEqualTo(BatchAnswer.Status.OK);
    assertThat(log.segments.get(0).get(0).producer()).isEqualTo(new ProducerSequence("p", 0));
  }

  @Test
  void partialKeepsTheGoodRowsAndCountsTheVerdictsBeyondTheLimit() {
    CompletableFuture<BatchAnswer> answer =
        submit(open(PARTIAL), 0, 1L, null, 2L, null, null, null, null, 3L);
    commit.step();
    assertThat(answer.join().status()).isEqualTo(BatchAnswer.Status.PARTIAL);
    assertThat(answer.join().rows()).isEqualTo(3);
    assertThat(answer.join().verdicts().stream().map(verdict -> verdict.row()))
        .containsExactly(1L, 3L, 4L);
    assertThat(answer.join().more()).isEqualTo(2);
    assertThat(log.values).containsExactly(1L, 2L, 3L);
  }

  @Test
  void partialWithoutOneGoodRowStoresNothing() {
    BatchAnswer answer = submit(open(PARTIAL), 0, null, null).join();
    assertThat(answer.status()).isEqualTo(BatchAnswer.Status.REJECTED);
    assertThat(commit.step()).isFalse();
  }

  @Test
  void b122_aBatchWithoutRowsIsAcknowledgedAndStoresNothing() {
    IngestStream stream = open(PRODUCER);
    assertThat(submit(stream, 0).join())
        .isEqualTo(new BatchAnswer(BatchAnswer.Status.OK, 0, null, List.of(), 0));
    CompletableFuture<BatchAnswer> next = submit(stream, 1, 5L);
    assertThat(submit(stream, 2)).isNotDone();
    commit.step();
    assertThat(next.join().rows()).isEqualTo(1);
    assertThat(log.segments).hasSize(1);
  }

  @Test
  void b140_aRepeatIsAnsweredAsSuccessAtTheKnownEnd() {
    log.script = (segment, batches) -> List.of(new AppendOutcome.Repeat(logName.at(41)));
    CompletableFuture<BatchAnswer> answer = submit(open(PRODUCER), 3, 5L);
    commit.step();
    assertThat(answer.join())
        .isEqualTo(new BatchAnswer(BatchAnswer.Status.OK, 1, logName.at(41), List.of(), 0));
  }

  @Test
  void anUnknownOutcomeEndsTheStreamAndWhatItHadPendingIsNotAppended() {
    IngestStream stream = open(PRODUCER);
    IngestStream other = open(PRODUCER);
    CompletableFuture<BatchAnswer> first = submit(stream, 0, 1L);
    List<CompletableFuture<BatchAnswer>> later = new ArrayList<>();
    CompletableFuture<BatchAnswer> others;
    log.script =
        (segment, batches) -> {
          // Submitted while the PUT is in flight.
          later.add(submit(stream, 1, 2L));
          later.add(submit(stream, 2, (Long) null));
          return List.of(
              new AppendOutcome.Unknown(new IcewalException(ErrorKind.UNKNOWN, "deadline")));
        };
    commit.step();
    log.script = log::appended;
    others = submit(other, 0, 3L);
    clock.advance(Duration.ofSeconds(1));
    commit.step();

    assertThat(failure(first).kind()).isEqualTo(ErrorKind.UNKNOWN);
    assertThat(later).allSatisfy(answer -> assertThat(answer).isCompletedExceptionally());
    assertThat(failure(submit(stream, 3, 4L)).getMessage()).contains("send every unanswered");
    assertThat(others.join().status()).isEqualTo(BatchAnswer.Status.OK);
    assertThat(log.values).containsExactly(1L, 3L);
  }

  @Test
  void nothingAfterAFailureIsAcknowledgedEvenIfTheSameSegmentHasIt() {
    IngestStream stream = open(PRODUCER);
    CompletableFuture<BatchAnswer> first = submit(stream, 0, 1L);
    CompletableFuture<BatchAnswer> second = submit(stream, 1, 2L);
    log.script =
        (segment, batches) ->
            List.of(
                new AppendOutcome.Refused(new IcewalException(ErrorKind.INVALID, "floor")),
                new AppendOutcome.Appended(logName.at(1), 0, 0));
    commit.step();
    assertThat(failure(first).kind()).isEqualTo(ErrorKind.INVALID);
    assertThat(failure(second).kind()).isEqualTo(ErrorKind.UNKNOWN);
  }

  @Test
  void whatWasTakenBeforeARefusedBatchIsStillAppendedAndAcknowledged() {
    IngestStream stream = open(PRODUCER);
    CompletableFuture<BatchAnswer> taken = submit(stream, 0, 1L);
    CompletableFuture<BatchAnswer> refused = submit(stream, -1, 2L);
    CompletableFuture<BatchAnswer> later = submit(stream, 2, 3L);
    assertThat(refused).isNotDone();
    commit.step();

    assertThat(taken.join().position()).isEqualTo(logName.at(1));
    assertThat(failure(refused).kind()).isEqualTo(ErrorKind.INVALID);
    assertThat(failure(later).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    assertThat(log.values).containsExactly(1L);
  }

  @Test
  void aBatchRefusedDuringAnAppendDoesNotHideThatTheEarlierOneIsDurable() {
    IngestStream stream = open(StreamOptions.defaults());
    CompletableFuture<BatchAnswer> taken = submit(stream, 0, 1L);
    log.script =
        (segment, batches) -> {
          ingestor.drain();
          submit(stream, 0, 2L);
          return log.appended(segment, batches);
        };
    commit.step();

    assertThat(taken.join().status()).isEqualTo(BatchAnswer.Status.OK);
  }

  @Test
  void answersComeInOrder() {
    IngestStream stream = open(PRODUCER);
    CompletableFuture<BatchAnswer> first = submit(stream, 0, 1L);
    CompletableFuture<BatchAnswer> rejected = submit(stream, 1, (Long) null);
    assertThat(rejected).isNotDone();
    commit.step();
    assertThat(first).isDone();
    assertThat(rejected.join().status()).isEqualTo(BatchAnswer.Status.REJECTED);
  }

  @Test
  void b137_beyondTheByteBoundBatchesAreRefusedAndSoonTakenAgain() {
    Long[] many = new Long[100_000];
    java.util.Arrays.fill(many, 1L);
    List<CompletableFuture<BatchAnswer>> taken = new ArrayList<>();
    CompletableFuture<BatchAnswer> refused;
    do {
      refused = submit(open(StreamOptions.defaults()), 0, many);
      taken.add(refused);
    } while (!refused.isDone());

    assertThat(failure(refused).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    assertThat(failure(refused).getMessage()).contains("retry after 1000 ms");
    assertThat(ingestor.pendingBytes()).isLessThanOrEqualTo(limits.pendingBytesMax() + 1024);
    assertThat(harness.out.getAllocatedMemory()).isLessThanOrEqualTo(2 * limits.pendingBytesMax());
    commit.step();
    assertThat(taken.subList(0, taken.size() - 1))
        .isNotEmpty()
        .allSatisfy(answer -> assertThat(answer.join().rows()).isEqualTo(100_000));
    CompletableFuture<BatchAnswer> again = submit(open(StreamOptions.defaults()), 0, 1L);
    clock.advance(Duration.ofSeconds(1));
    commit.step();
    assertThat(again.join().rows()).isEqualTo(1);
  }

  @Test
  void b124_aBatchBeyondTheLimitIsRefusedByNameAndTheStreamLives() {
    Long[] many = new Long[300_000];
    java.util.Arrays.fill(many, 1L);
    IngestStream stream = open(StreamOptions.defaults());
    BatchAnswer answer = submit(stream, 0, many).join();
    assertThat(answer.status()).isEqualTo(BatchAnswer.Status.REJECTED);
    assertThat(answer.verdicts().get(0).rule()).isEqualTo("batch-size");
    assertThat(answer.verdicts().get(0).message()).contains("2097152 bytes");
    CompletableFuture<BatchAnswer> small = submit(stream, 0, 1L);
    commit.step();
    assertThat(small.join().rows()).isEqualTo(1);
  }

  @Test
  void aBatchThatNoWaitCouldMakeRoomForIsRejectedAndNotPutOff() {
    limits = new IngestLimits(20 << 10, 20 << 10, 1 << 20, Duration.ZERO, Duration.ofSeconds(1), 3);
    ingestor = ingestor();
    BatchAnswer answer = submit(open(PRODUCER), 0, 1L).join();

    assertThat(answer.status()).isEqualTo(BatchAnswer.Status.REJECTED);
    assertThat(answer.verdicts()).extracting("rule").containsExactly("batch-size");
  }

  @Test
  void aProducerThatIsNotWellFormedTextIsRefused() {
    StreamOptions torn =
        new StreamOptions(StreamOptions.Mode.REJECT, StreamOptions.Op.UPSERT, "p\uD800");

    assertThatThrownBy(() -> open(torn))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID));
  }

  @Test
  void storeDownRefusesAndReleasesEverything() {
    log.script =
        (segment, batches) -> {
          throw new IcewalException(ErrorKind.UNAVAILABLE, "store is down");
        };
    CompletableFuture<BatchAnswer> answer = submit(open(PRODUCER), 0, 1L);
    commit.step();
    assertThat(failure(answer).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    assertThat(ingestor.pendingBytes()).isZero();
  }

  @Test
  void anUnexpectedErrorOfTheLogIsUnknown() {
    log.script =
        (segment, batches) -> {
          throw new IllegalStateException("bug");
        };
    CompletableFuture<BatchAnswer> answer = submit(open(PRODUCER), 0, 1L);
    commit.step();
    assertThat(failure(answer).kind()).isEqualTo(ErrorKind.UNKNOWN);
  }

  @Test
  void drainFlushesWhatIsPendingAndTakesNothingMore() {
    IngestStream stream = open(PRODUCER);
    submit(stream, 0, 1L);
    commit.step();
    CompletableFuture<BatchAnswer> pending = submit(stream, 1, 2L);
    assertThat(commit.step()).isFalse();

    ingestor.drain();

    assertThat(ingestor.isDrained()).isFalse();
    assertThat(commit.step()).isTrue();
    assertThat(ingestor.isDrained()).isTrue();
    assertThat(pending.join().rows()).isEqualTo(1);
    assertThat(failure(submit(stream, 2, 3L)).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    assertThatThrownBy(() -> open(PRODUCER)).hasMessageContaining("shutting down");
  }

  @Test
  void flushAppendsABlockWithoutRows() {
    assertThat(ingestor.flush(Harness.NAME)).isNotDone();
    commit.step();
    AppendBatch mark = log.segments.get(0).get(0);
    assertThat(mark.header().kind()).isEqualTo(BlockKind.FLUSH);
    assertThat(mark.rows()).isNull();
  }

  @Test
  void aSchemaChangeIsFollowedWithinAMinute() {
    IngestStream stream = open(StreamOptions.defaults());
    submit(stream, 0, 1L);
    Schema wider =
        new Schema(
            1,
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional("added")
                    .withId(3)
                    .ofType(Types.IntegerType.get())
                    .withWriteDefault(org.apache.iceberg.expressions.Literal.of(5))
                    .build(),
                NestedField.optional(2, "v", Types.StringType.get())),
            Set.of(1));
    catalog.put(Harness.NAME, Harness.table(wider));
    clock.advance(Duration.ofSeconds(61));
    submit(stream, 1, 2L);
    commit.step();
    List<AppendBatch> batches = log.segments.get(0);
    assertThat(batches.get(0).header().lastColumnId()).isEqualTo(2);
    assertThat(batches.get(1).header().lastColumnId()).isEqualTo(3);
    assertThat(batches.get(1).header().schemaId()).isEqualTo(1);
    assertThat(batches.get(1).header().columns().findField("added")).isNotNull();
  }

  @Test
  void aColumnDroppedUnderAStreamRejectsItsBatches() {
    IngestStream stream = open(StreamOptions.defaults());
    Schema narrower =
        new Schema(1, List.of(NestedField.required(1, "id", Types.LongType.get())), Set.of(1));
    catalog.put(Harness.NAME, Harness.table(narrower));
    clock.advance(Duration.ofSeconds(61));
    BatchAnswer answer = submit(stream, 0, 1L).join();
    assertThat(answer.status()).isEqualTo(BatchAnswer.Status.REJECTED);
    assertThat(answer.verdicts().get(0).rule()).isEqualTo("unknown-column");
  }

  @Test
  void anotherTableOfTheSameNameEndsTheStream() {
    IngestStream stream = open(StreamOptions.defaults());
    catalog.put(
        Harness.NAME,
        new IngestTable(
            new UUID(1, 1), Harness.NAME, SCHEMA, 2, PartitionSpec.unpartitioned(), null));
    clock.advance(Duration.ofSeconds(61));
    assertThat(failure(submit(stream, 0, 1L)).kind()).isEqualTo(ErrorKind.CONFLICT);
  }

  @Test
  void aTableThatCannotTakeRowsIsRefusedWithItsReason() {
    catalog.put(
        Harness.NAME,
        new IngestTable(
            new UUID(7, 9),
            Harness.NAME,
            SCHEMA,
            2,
            PartitionSpec.unpartitioned(),
            "it was replaced; adopt it"));
    assertThatThrownBy(() -> open(StreamOptions.defaults()))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
        .hasMessageContaining("it was replaced; adopt it");
  }
}
