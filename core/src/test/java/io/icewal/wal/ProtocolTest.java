package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import io.icewal.wal.AppendOutcome.Appended;
import io.icewal.wal.AppendOutcome.Repeat;
import io.icewal.wal.AppendOutcome.Unknown;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// Each rule of the protocol, by the shortest run that needs it: with the rule the answer is right,
/// without it a row is lost, doubled or imagined. The names are those of the checked model's runs.
class ProtocolTest {
  private static final Predicate<String> ANY_SEGMENT_LIST = key -> key.endsWith("/segments/");

  // ---- b01: a slot that had been trimmed is filled

  private static AppendOutcome fillsATrimmedSlot(LogFixture f, WalWriter writer) {
    WalWriter other = f.writer();
    f.store.before(
        StoreOp.PUT_IF_ABSENT,
        f.segment(1),
        () -> {
          f.append(other, 2);
          f.materializeAndTrim(1);
          f.deleteBelow(1);
        });
    return f.append(writer, 1);
  }

  @Test
  void b01_aWriterLooksAtTheBoundaryBeforeItAcknowledges() {
    try (LogFixture f = new LogFixture()) {
      assertThat(fillsATrimmedSlot(f, f.writer())).isInstanceOf(Unknown.class);
      assertThat(f.all()).containsExactly(2L);
    }
    try (LogFixture f = new LogFixture()) {
      assertThat(fillsATrimmedSlot(f, f.writer("b01"))).isInstanceOf(Appended.class);
      assertThat(f.all()).as("acknowledged and lost").containsExactly(2L);
    }
  }

  @Test
  void b01_aWriterThatTheSummaryKnowsAppendsAVoidSegmentAgain() {
    try (LogFixture f = new LogFixture()) {
      WalWriter writer = f.writer();
      f.append(writer, 1);
      WalWriter other = f.writer();
      f.store.before(
          StoreOp.PUT_IF_ABSENT,
          f.segment(2),
          () -> {
            f.append(other, 2);
            f.materializeAndTrim(2);
            f.deleteBelow(2);
          });

      assertThat(LogFixture.number(f.append(writer, 3))).isEqualTo(3);
      assertThat(f.all()).containsExactly(1L, 2L, 3L);
    }
  }

  // ---- b02: trimmed while the writer slept

  private static AppendOutcome isTrimmedBeforeItsLook(LogFixture f, WalWriter writer) {
    f.store.before(
        StoreOp.PUT_IF_ABSENT,
        f.segment(1),
        () -> f.store.before(StoreOp.GET, f.boundary(1), () -> f.materializeAndTrim(1)));
    return f.append(writer, 1);
  }

  @Test
  void b02_theSummaryTellsWhetherATrimmedSegmentWasRead() {
    try (LogFixture f = new LogFixture()) {
      assertThat(LogFixture.number(isTrimmedBeforeItsLook(f, f.writer()))).isEqualTo(1);
      assertThat(f.all()).containsExactly(1L);
    }
    try (LogFixture f = new LogFixture()) {
      isTrimmedBeforeItsLook(f, f.writer("b02"));
      assertThat(f.all()).as("doubled").containsExactly(1L, 1L);
    }
  }

  // ---- b03: a ghost in the slot that was won

  private static AppendOutcome findsAGhostInItsSlot(LogFixture f, WalWriter writer) {
    f.ghost(1, 9, null);
    f.store.script(StoreOp.PUT_IF_ABSENT, f.segment(1), Toxic.FAIL_AFTER);
    f.store.before(
        StoreOp.PUT_IF_ABSENT,
        f.segment(1),
        () ->
            f.store.before(
                StoreOp.GET,
                f.segment(1),
                () -> {
                  f.materializeAndTrim(1);
                  f.deleteBelow(1);
                  f.store.land(0);
                }));
    return f.append(writer, 1);
  }

  @Test
  void b03_anothersSegmentCountsOnlyAfterALook() {
    try (LogFixture f = new LogFixture()) {
      assertThat(LogFixture.number(findsAGhostInItsSlot(f, f.writer()))).isEqualTo(1);
      assertThat(f.all()).containsExactly(1L);
    }
    try (LogFixture f = new LogFixture()) {
      findsAGhostInItsSlot(f, f.writer("b03"));
      assertThat(f.all()).as("doubled").containsExactly(1L, 1L);
    }
  }

  // ---- b04, b05: a ghost holds the batch that is sent again

  private static AppendOutcome readsAGhostOfTheBatch(LogFixture f, WalWriter writer) {
    f.ghost(1, 2, LogFixture.sequence("p", 0));
    WalWriter other = f.writer();
    f.store.before(
        StoreOp.LIST,
        ANY_SEGMENT_LIST,
        () -> {
          f.append(other, 1);
          f.materializeAndTrim(1);
          f.deleteBelow(1);
          f.store.land(0);
        });
    return f.append(writer, 2, LogFixture.sequence("p", 0));
  }

  @Test
  void b04_b05_repeatsAreAnsweredOnlyAfterALook() {
    try (LogFixture f = new LogFixture()) {
      assertThat(LogFixture.number(readsAGhostOfTheBatch(f, f.writer()))).isEqualTo(2);
      assertThat(f.all()).containsExactly(1L, 2L);
    }
    for (String rule : new String[] {"b04", "b05"}) {
      try (LogFixture f = new LogFixture()) {
        assertThat(readsAGhostOfTheBatch(f, f.writer(rule))).isInstanceOf(Repeat.class);
        assertThat(f.all()).as("%s: acknowledged and lost", rule).containsExactly(1L);
      }
    }
  }

  // ---- b06: a ghost stands where the batch was

  private static AppendOutcome readsAGhostInsteadOfTheBatch(LogFixture f, WalWriter writer) {
    f.ghost(1, 9, null);
    f.append(f.writer(), 2, LogFixture.sequence("p", 0));
    f.store.before(
        StoreOp.LIST,
        ANY_SEGMENT_LIST,
        () -> {
          f.materializeAndTrim(1);
          f.deleteBelow(1);
          f.store.land(0);
        });
    return f.append(writer, 2, LogFixture.sequence("p", 0));
  }

  @Test
  void b06_bytesArePutOnlyAfterALook() {
    try (LogFixture f = new LogFixture()) {
      assertThat(readsAGhostInsteadOfTheBatch(f, f.writer())).isInstanceOf(Repeat.class);
      assertThat(f.all()).containsExactly(2L);
    }
    try (LogFixture f = new LogFixture()) {
      readsAGhostInsteadOfTheBatch(f, f.writer("b06"));
      assertThat(f.all()).as("doubled").containsExactly(2L, 2L);
    }
  }

  @Test
  void aGhostBeforeALiveSegmentIsNoDamageToAWriterThatReadsOn() {
    try (LogFixture f = new LogFixture()) {
      WalWriter writer = f.writer();
      WalWriter other = f.writer();
      f.store.before(
          StoreOp.PUT_IF_ABSENT,
          f.segment(1),
          () -> {
            f.append(other, 1);
            putTravelsAndWriterDies(f, f.writer(), 2, 9);
            f.store.before(
                StoreOp.GET,
                f.segment(2),
                () -> {
                  f.append(other, 2);
                  f.append(other, 3);
                  f.materializeAndTrim(2);
                  f.deleteBelow(2);
                  f.store.land(0);
                });
          });

      assertThat(LogFixture.number(f.append(writer, 4))).isEqualTo(4);
      assertThat(f.all()).containsExactly(1L, 2L, 3L, 4L);
    }
  }

  // ---- b07, b08, l02, l03, l04: readers and materializers

  private static boolean findsNothingThatWasThere(LogFixture f, LogReader reader) {
    f.append(f.writer(), 1);
    Boundary noted = reader.newestBoundary();
    f.materializeAndTrim(1);
    f.deleteBelow(1);
    SegmentRun run = reader.read(noted.number());
    assertThat(run.segments()).isEmpty();
    return reader.confirm(noted, run);
  }

  @Test
  void b07_b08_l04_anAbsentSlotCountsOnlyAfterALook() {
    try (LogFixture f = new LogFixture()) {
      assertThat(findsNothingThatWasThere(f, f.reader())).isFalse();
    }
    for (String rule : new String[] {"b07", "l04"}) {
      try (LogFixture f = new LogFixture()) {
        assertThat(findsNothingThatWasThere(f, reader(f, rule))).as(rule).isTrue();
      }
    }
  }

  private static boolean readsAGhostThatTheSummaryCovers(LogFixture f, LogReader reader) {
    WalWriter writer = f.writer();
    WalWriter other = f.writer();
    f.store.script(StoreOp.PUT_IF_ABSENT, f.segment(1), Toxic.DELAY);
    f.store.before(StoreOp.GET, f.segment(1), () -> f.append(other, 2));
    assertThat(LogFixture.number(f.append(writer, 1))).isEqualTo(2);
    Boundary noted = reader.newestBoundary();
    f.materializeAndTrim(2);
    f.deleteBelow(2);
    f.store.land(0);
    SegmentRun run = reader.read(noted.number());
    assertThat(run.segments()).hasSize(1);
    return reader.confirm(noted, run);
  }

  @Test
  void l02_l03_aSummaryNeverVouchesForASegmentToAReader() {
    try (LogFixture f = new LogFixture()) {
      assertThat(readsAGhostThatTheSummaryCovers(f, f.reader())).isFalse();
    }
    try (LogFixture f = new LogFixture()) {
      assertThat(readsAGhostThatTheSummaryCovers(f, reader(f, "l02"))).isTrue();
    }
  }

  private static LogReader reader(LogFixture f, String rule) {
    return WeakenedWal.reader(f.root, f.log, Runnable::run, ReaderLimits.DEFAULTS, rule);
  }

  // ---- b09: a put is unknown, its slot empty

  @Test
  void b09_aWriterStaysAtItsSlotWhileAnAttemptIsUnknown() {
    try (LogFixture f = new LogFixture()) {
      f.store.script(StoreOp.PUT_IF_ABSENT, f.segment(1), Toxic.DELAY);
      assertThat(LogFixture.number(f.append(f.writer(), 1))).isEqualTo(1);
      f.store.landAll();
      assertThat(f.all()).containsExactly(1L);
    }
    try (LogFixture f = new LogFixture()) {
      f.store.script(StoreOp.PUT_IF_ABSENT, f.segment(1), Toxic.DELAY);
      f.append(f.writer("b09"), 1);
      f.store.landAll();
      assertThat(f.all()).as("doubled").containsExactly(1L, 1L);
    }
  }

  // ---- b10, b11: the order of trimming

  private static void appendsWhileTheTrimmerIsAtItsBoundary(LogFixture f, WalTrimmer trimmer) {
    f.append(f.writer(), 1);
    f.table.add(1L);
    WalWriter writer = f.writer();
    f.store.before(StoreOp.PUT_IF_ABSENT, f.boundary(1), () -> f.append(writer, 2));
    trimmer.trim(blocks -> TableState.at(1));
  }

  @Test
  void b10_nothingIsDeletedBeforeTheBoundary() {
    try (LogFixture f = new LogFixture()) {
      appendsWhileTheTrimmerIsAtItsBoundary(f, f.trimmer());
      assertThat(f.all()).containsExactly(1L, 2L);
    }
    try (LogFixture f = new LogFixture()) {
      appendsWhileTheTrimmerIsAtItsBoundary(
          f, WeakenedWal.trimmer(f.root, f.log, f.random, TrimLimits.DEFAULTS, "b10"));
      assertThat(f.all()).as("acknowledged and lost").containsExactly(1L);
    }
  }

  private static void diesAtItsSummary(LogFixture f, WalTrimmer trimmer) {
    f.append(f.writer(), 1);
    f.store.script(StoreOp.PUT, key -> key.contains("/summary/"), Toxic.FAIL_BEFORE);
    IcewalException died =
        catchThrowableOfType(IcewalException.class, () -> trimmer.trim(blocks -> TableState.at(1)));
    assertThat(died.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
  }

  @Test
  void b11_noBoundaryBeforeItsSummary() {
    try (LogFixture f = new LogFixture()) {
      diesAtItsSummary(f, f.trimmer());
      assertThat(LogFixture.number(f.append(f.writer(), 2))).isEqualTo(2);
    }
    try (LogFixture f = new LogFixture()) {
      diesAtItsSummary(f, WeakenedWal.trimmer(f.root, f.log, f.random, TrimLimits.DEFAULTS, "b11"));
      IcewalException stuck =
          catchThrowableOfType(IcewalException.class, () -> f.append(f.writer(), 2));
      assertThat(stuck.kind()).isEqualTo(ErrorKind.CORRUPT);
    }
  }

  // ---- l01: a ghost of a writer that the summary knows at a later sequence

  private static AppendOutcome readsAGhostOfAKnownWriter(LogFixture f, WalWriter writer) {
    WalWriter first = f.writer();
    WalWriter other = f.writer();
    f.store.script(StoreOp.PUT_IF_ABSENT, f.segment(1), Toxic.DELAY);
    f.store.before(
        StoreOp.GET,
        f.segment(1),
        () -> {
          f.append(other, 2);
          f.store.script(StoreOp.GET, f.segment(2), Toxic.FAIL_BEFORE);
        });
    IcewalException gaveUp =
        catchThrowableOfType(
            IcewalException.class, () -> f.append(first, 1, LogFixture.sequence("p", 0)));
    assertThat(gaveUp.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    assertThat(LogFixture.number(f.append(first, 3))).isEqualTo(2);
    f.store.before(
        StoreOp.LIST,
        ANY_SEGMENT_LIST,
        () -> {
          f.materializeAndTrim(2);
          f.deleteBelow(2);
          f.store.land(0);
        });
    return f.append(writer, 1, LogFixture.sequence("p", 0));
  }

  @Test
  void l01_aSummaryNeverVouchesForASegmentToAWriter() {
    try (LogFixture f = new LogFixture()) {
      assertThat(LogFixture.number(readsAGhostOfAKnownWriter(f, f.writer()))).isEqualTo(3);
      assertThat(f.all()).containsExactly(2L, 3L, 1L);
    }
    try (LogFixture f = new LogFixture()) {
      assertThat(readsAGhostOfAKnownWriter(f, f.writer("l01"))).isInstanceOf(Repeat.class);
      assertThat(f.all()).as("acknowledged and lost").containsExactly(2L, 3L);
    }
  }

  // ---- l05: a writer's former life has a put on its way

  private static AppendOutcome isMistakenForItsFormerLife(
      LogFixture f, WalWriter former, WalWriter writer) {
    putTravelsAndWriterDies(f, former, 1, 1);
    f.store.before(
        StoreOp.PUT_IF_ABSENT,
        f.segment(1),
        () -> {
          f.store.land(0);
          f.materializeAndTrim(1);
          f.deleteBelow(1);
        });
    return f.append(writer, 2);
  }

  private static void putTravelsAndWriterDies(
      LogFixture f, WalWriter writer, long number, long id) {
    f.store.script(StoreOp.PUT_IF_ABSENT, f.segment(number), Toxic.DELAY);
    f.store.before(
        StoreOp.PUT_IF_ABSENT,
        f.segment(number),
        () ->
            f.store.before(
                StoreOp.GET,
                f.segment(number),
                () -> {
                  throw new CrashError();
                }));
    try {
      f.append(writer, id);
    } catch (CrashError crashed) {
      assertThat(f.store.travelling()).isEqualTo(1);
    }
  }

  private static final class CrashError extends Error {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void l05_aWriterThatStartsAgainHasAnotherId() {
    try (LogFixture f = new LogFixture()) {
      assertThat(isMistakenForItsFormerLife(f, f.writer(), f.writer())).isInstanceOf(Unknown.class);
      assertThat(f.all()).containsExactly(1L);
    }
    try (LogFixture f = new LogFixture()) {
      UUID id = new UUID(1, 1);
      assertThat(isMistakenForItsFormerLife(f, f.writer("l05", id), f.writer("l05", id)))
          .isInstanceOf(Appended.class);
      assertThat(f.all()).as("acknowledged and lost").containsExactly(1L);
    }
  }

  // ---- l06: the summary has forgotten the writer

  private static AppendOutcome isForgotten(LogFixture f, WalWriter writer) {
    WalWriter other = f.writer();
    f.store.before(
        StoreOp.PUT_IF_ABSENT,
        f.segment(1),
        () ->
            f.store.before(
                StoreOp.GET,
                f.boundary(1),
                () -> {
                  f.storeAhead = Duration.ofHours(25);
                  f.append(other, 2);
                  f.materializeAndTrim(2);
                }));
    return f.append(writer, 1);
  }

  @Test
  void l06_aForgottenWriterGetsNoVerdict() {
    try (LogFixture f = new LogFixture()) {
      assertThat(isForgotten(f, f.writer())).isInstanceOf(Unknown.class);
      assertThat(f.all()).containsExactly(1L, 2L);
    }
    try (LogFixture f = new LogFixture()) {
      isForgotten(f, f.writer("l06"));
      assertThat(f.all()).as("doubled").containsExactly(1L, 2L, 1L);
    }
  }

  @Test
  void aClockThatIsSetBackMakesNoAttemptLonger() {
    try (LogFixture f = new LogFixture()) {
      f.store.before(
          StoreOp.PUT_IF_ABSENT,
          f.segment(1),
          () -> f.now = f.now.minus(java.time.Duration.ofHours(5)));
      f.ghost(1, 1, null);
    }
  }
}
