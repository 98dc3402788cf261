package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.BlockHeader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.Schema;
import org.junit.jupiter.api.Test;

class GroupCommitTest {
  private static final BlockHeader MARK =
      new BlockHeader(new UUID(0, 1), "ns.t", 0, 0, new Schema(), BlockKind.FLUSH);

  private final SettableClock clock = new SettableClock();
  private final FakeLog log = new FakeLog(new LogName(new UUID(1, 2), 1, 0));
  private final AtomicInteger released = new AtomicInteger();
  private final GroupCommit commit =
      new GroupCommit(log, new GroupCommitLimits(100, Duration.ofMillis(250), 150), clock);

  private CompletableFuture<Position> offer(long bytes) {
    return offer(bytes, new StreamState());
  }

  private CompletableFuture<Position> offer(long bytes, StreamState stream) {
    PendingBatch batch =
        new PendingBatch(
            new AppendBatch(MARK, null, null, null), bytes, stream, released::incrementAndGet);
    commit.offer(batch);
    return batch.answer();
  }

  @Test
  void aFlushIsDueByBytesOrByAge() {
    offer(1);
    assertThat(commit.step()).isTrue();

    offer(1);
    assertThat(commit.step()).isFalse();
    clock.advance(Duration.ofMillis(249));
    assertThat(commit.step()).isFalse();
    clock.advance(Duration.ofMillis(1));
    assertThat(commit.step()).isTrue();

    offer(60);
    assertThat(commit.step()).isFalse();
    offer(60);
    assertThat(commit.step()).isTrue();
    assertThat(log.segments).hasSize(3);
    assertThat(released).hasValue(4);
  }

  @Test
  void theNextGroupGrowsWhileAPutIsInFlight() {
    offer(1);
    log.script =
        (segment, batches) -> {
          offer(1);
          offer(1);
          assertThat(commit.step()).as("one append at a time").isFalse();
          return log.appended(segment, batches);
        };
    commit.step();
    log.script = log::appended;
    clock.advance(Duration.ofSeconds(1));
    commit.step();
    assertThat(log.segments).extracting(List::size).containsExactly(1, 2);
  }

  @Test
  void aGroupTakesNoMoreThanASegmentsBytes() {
    List<CompletableFuture<Position>> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      answers.add(offer(60));
    }
    answers.add(offer(1000));
    commit.step();
    commit.step();
    clock.advance(Duration.ofSeconds(1));
    commit.step();
    commit.step();
    assertThat(log.segments).extracting(List::size).containsExactly(2, 2, 1, 1);
    assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompleted());
    assertThat(commit.pendingBytes()).isZero();
  }

  @Test
  void anIdleLogIsNeverWritten() {
    for (int i = 0; i < 10; i++) {
      clock.advance(Duration.ofHours(1));
      assertThat(commit.step()).isFalse();
    }
    assertThat(log.segments).isEmpty();
  }

  @Test
  void aClockThatGoesBackDelaysNothing() {
    offer(1);
    commit.step();
    clock.advance(Duration.ofHours(-5));
    offer(1);
    assertThat(commit.step()).isTrue();
  }

  @Test
  void closeAnswersWhatIsPending() {
    offer(1);
    commit.step();
    CompletableFuture<Position> pending = offer(1);
    commit.close();
    CompletableFuture<Position> late = offer(1);
    for (CompletableFuture<Position> answer : List.of(pending, late)) {
      assertThat(answer)
          .failsWithin(Duration.ZERO)
          .withThrowableOfType(java.util.concurrent.ExecutionException.class)
          .havingCause()
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
    }
    assertThat(released).hasValue(3);
    assertThat(log.segments).hasSize(1);
  }

  @Test
  void offersFromManyThreadsAreAnsweredExactlyOnceAndInOrder() throws Exception {
    int threads = 4;
    int each = 2_000;
    List<List<CompletableFuture<Position>>> answers = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      List<CompletableFuture<Position>> own = new ArrayList<>();
      answers.add(own);
      StreamState stream = new StreamState();
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  own.add(offer(30, stream));
                }
              });
      running.add(thread);
      thread.start();
    }
    while (released.get() < threads * each) {
      if (commit.awaitWork(Duration.ofMillis(1))) {
        commit.step();
      }
      clock.advance(Duration.ofSeconds(1));
    }
    for (Thread thread : running) {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    }
    for (List<CompletableFuture<Position>> own : answers) {
      long last = 0;
      for (CompletableFuture<Position> answer : own) {
        long number = answer.join().number();
        assertThat(number).isGreaterThanOrEqualTo(last);
        last = number;
      }
    }
    assertThat(log.segments.stream().mapToInt(List::size).sum()).isEqualTo(threads * each);
  }
}
