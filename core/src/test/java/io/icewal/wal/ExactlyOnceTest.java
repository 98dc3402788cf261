package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.ProducerSequence;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import io.icewal.wal.AppendOutcome.Appended;
import io.icewal.wal.AppendOutcome.Refused;
import io.icewal.wal.AppendOutcome.Repeat;
import io.icewal.wal.AppendOutcome.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// A batch with a sequence is in the log once, however often it is sent, and acknowledged only if
/// it is there.
class ExactlyOnceTest {
  /// Case b143: of two processes with the same settings, one sleeps before any of its requests
  /// while the other writes on, and the log may be trimmed. Neither is fenced, as neither needs to
  /// be: a slot is put if absent, so the one that wakes up moves on to a free one.
  @Test
  void b143_aWriterThatSleptBeforeAnyRequestOverwritesNobody() {
    int slept = 0;
    for (StoreOp op : StoreOp.values()) {
      for (int nth = 0; nth < 5; nth++) {
        slept += sleepBefore(op, nth, LogFixture::readable) ? 1 : 0;
        slept += sleepBefore(op, nth, ExactlyOnceTest::trim) ? 1 : 0;
      }
    }
    assertThat(slept).isGreaterThanOrEqualTo(6);
  }

  private static void trim(LogFixture f) {
    f.materializeAndTrim(4);
    f.deleteBelow(4);
  }

  private static boolean sleepBefore(StoreOp op, int nth, Consumer<LogFixture> meanwhile) {
    try (LogFixture f = new LogFixture()) {
      WalWriter sleeper = f.writer();
      WalWriter other = f.writer();
      f.append(sleeper, 1);
      f.append(other, 2);
      int[] left = {nth};
      boolean[] slept = new boolean[1];
      f.store.before(
          op,
          key -> left[0]-- == 0,
          () -> {
            slept[0] = true;
            f.append(other, 3);
            f.append(other, 4);
            meanwhile.accept(f);
          });

      assertThat(f.append(sleeper, 9)).as("%s %d", op, nth).isInstanceOf(Appended.class);
      left[0] = -1;

      List<Long> rows = slept[0] ? List.of(1L, 2L, 3L, 4L, 9L) : List.of(1L, 2L, 9L);
      assertThat(f.all()).as("%s %d", op, nth).containsExactlyInAnyOrderElementsOf(rows);
      return slept[0];
    }
  }

  @Test
  void aRepeatIsASuccessThroughAnotherWriterTooAndAfterTrimming() {
    try (LogFixture f = new LogFixture()) {
      ProducerSequence sequence = LogFixture.sequence("p", 0);
      WalWriter writer = f.writer();
      f.append(writer, 1, sequence);

      assertThat(f.append(writer, 1, sequence)).isEqualTo(new Repeat(f.log.at(1)));
      assertThat(f.append(f.writer(), 1, sequence)).isEqualTo(new Repeat(f.log.at(1)));
      f.materializeAndTrim(1);
      f.deleteBelow(1);
      assertThat(f.append(f.writer(), 1, sequence)).isEqualTo(new Repeat(f.log.at(1)));
      assertThat(f.all()).containsExactly(1L);
    }
  }

  @Test
  void copiesWithinOneGroupAreRepeats() {
    try (LogFixture f = new LogFixture()) {
      ProducerSequence sequence = LogFixture.sequence("p", 0);
      List<AppendBatch> batches =
          List.of(
              Rows.upsert(f.allocator, 1, sequence, 1, 1),
              Rows.upsert(f.allocator, 2, sequence, 1, 1),
              Rows.upsert(f.allocator, 1, sequence, 1, 1));

      List<AppendOutcome> outcomes = f.writer().append(batches);
      Rows.close(batches);

      assertThat(outcomes)
          .containsExactly(
              new Appended(f.log.at(1), 0, 0),
              new Appended(f.log.at(1), 1, 0),
              new Repeat(f.log.at(1)));
      assertThat(f.all()).containsExactly(1L);
    }
  }

  @Test
  void b145_anAnswerThatWasLostIsFoundAgain() {
    try (LogFixture f = new LogFixture()) {
      f.store.script(StoreOp.PUT_IF_ABSENT, f.segment(1), Toxic.FAIL_AFTER);

      assertThat(LogFixture.number(f.append(f.writer(), 1))).isEqualTo(1);
      assertThat(f.all()).containsExactly(1L);
    }
  }

  @Test
  void b016_aPutThatFailedIsNotRememberedAsDone() {
    try (LogFixture f = new LogFixture()) {
      for (int i = 0; i < LogFixture.PUTS_BEFORE_DEADLINE; i++) {
        f.store.script(StoreOp.PUT_IF_ABSENT, f.segment(1), Toxic.FAIL_BEFORE);
      }
      WalWriter writer = f.writer();
      ProducerSequence sequence = LogFixture.sequence("p", 0);

      assertThat(f.append(writer, 1, sequence)).isInstanceOf(Unknown.class);
      assertThat(f.append(writer, 1, sequence)).isEqualTo(new Appended(f.log.at(1), 0, 0));
      assertThat(f.all()).containsExactly(1L);
    }
  }

  @Test
  void anUnknownBatchThatLandsLaterIsARepeatWhenItIsSentAgain() {
    try (LogFixture f = new LogFixture()) {
      ProducerSequence sequence = LogFixture.sequence("p", 0);
      f.ghost(1, 1, sequence);
      f.store.landAll();

      assertThat(f.append(f.writer(), 1, sequence)).isEqualTo(new Repeat(f.log.at(1)));
      assertThat(f.all()).containsExactly(1L);
    }
  }

  @Test
  void aSequenceBelowTheFloorIsRefused() {
    try (LogFixture f = new LogFixture()) {
      WalWriter writer = f.writer();
      for (int i = 0; i <= Sequences.RANGES_MAX; i++) {
        f.append(writer, i, LogFixture.sequence("p", 2L * i + 1));
      }

      AppendOutcome outcome = f.append(writer, 99, LogFixture.sequence("p", 0));

      assertThat(outcome).isInstanceOf(Refused.class);
      assertThat(((Refused) outcome).error().kind()).isEqualTo(ErrorKind.INVALID);
    }
  }

  @Test
  void idleProducersAreForgottenAfterADayByTheStoresClock() {
    try (LogFixture f = new LogFixture()) {
      WalWriter writer = f.writer();
      f.append(writer, 1, LogFixture.sequence("p", 0));
      f.now = f.now.plus(Duration.ofHours(23));
      f.append(writer, 2, LogFixture.sequence("q", 0));
      f.materializeAndTrim(2);
      assertThat(f.append(f.writer(), 1, LogFixture.sequence("p", 0))).isInstanceOf(Repeat.class);

      f.now = f.now.plus(Duration.ofHours(2));
      f.append(writer, 3);
      f.materializeAndTrim(3);
      f.append(writer, 4);

      assertThat(f.append(f.writer(), 2, LogFixture.sequence("q", 0))).isInstanceOf(Repeat.class);
      assertThat(f.append(writer, 1, LogFixture.sequence("p", 0))).isInstanceOf(Appended.class);
    }
  }

  @Test
  void whileTheStoreIsDownNothingIsAcknowledgedAndNothingHangs() {
    try (LogFixture f = new LogFixture()) {
      WalWriter writer = f.writer();
      f.append(writer, 1);
      f.store.rate(Toxic.FAIL_BEFORE, 1.0);

      assertThat(f.append(writer, 2)).isInstanceOf(Unknown.class);
      assertThatThrownBy(() -> f.append(writer, 2))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));

      f.store.rate(Toxic.FAIL_BEFORE, 0);
      assertThat(LogFixture.number(f.append(writer, 3))).isEqualTo(2);
    }
  }

  /// Two writers, trimming and deleting, late puts; clients that send again through either writer
  /// until they are answered.
  @Test
  void underFaultsEveryAcknowledgedBatchIsThereOnce() {
    for (int seed = 0; seed < 30; seed++) {
      try (LogFixture f = new LogFixture()) {
        SplittableRandom random = new SplittableRandom(seed);
        WalWriter[] writers = {f.writer(), f.writer()};
        for (Toxic toxic : Toxic.values()) {
          f.store.rate(toxic, 0.02);
        }
        Set<Long> acknowledged = new TreeSet<>();
        for (long id = 0; id < 40; id++) {
          sendUntilAnswered(f, writers, random, id);
          acknowledged.add(id);
          disturb(f, random);
        }
        for (Toxic toxic : Toxic.values()) {
          f.store.rate(toxic, 0);
        }
        f.store.landAll();

        List<Long> all = f.all();
        assertThat(all).as("seed %d", seed).doesNotHaveDuplicates();
        assertThat(new TreeSet<>(all)).as("seed %d", seed).isEqualTo(acknowledged);
      }
    }
  }

  private static void sendUntilAnswered(
      LogFixture f, WalWriter[] writers, SplittableRandom random, long id) {
    while (true) {
      try {
        int chosen = random.nextInt(2);
        if (random.nextInt(8) == 0) {
          writers[chosen] = f.writer();
        }
        AppendOutcome outcome =
            f.append(writers[chosen], id, LogFixture.sequence("p" + id % 3, id));
        if (outcome instanceof Appended || outcome instanceof Repeat) {
          return;
        }
      } catch (IcewalException e) {
        assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
      }
    }
  }

  private static void disturb(LogFixture f, SplittableRandom random) {
    if (f.store.travelling() > 0 && random.nextInt(2) == 0) {
      f.store.land(random.nextInt(f.store.travelling()));
    }
    if (random.nextInt(4) == 0) {
      try {
        List<Long> readable = new ArrayList<>(f.all().subList(f.table.size(), f.all().size()));
        long end = f.reader().read(f.reader().newestBoundary().number()).end();
        TrimResult result = f.trimTo(end);
        if (result.outcome() == TrimResult.Outcome.TRIMMED) {
          f.table.addAll(readable);
          f.deleteBelow(end);
        }
      } catch (IcewalException e) {
        assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
      }
    }
  }
}
