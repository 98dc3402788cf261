package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import io.icewal.wal.BlockLocation.Place;
import io.icewal.wal.TrimResult.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class WalTrimmerTest {
  private static final Duration PAST_GRACE = Duration.ofMinutes(61);

  /// Table 1 is at a position, table 2 gets the other answer.
  private static Function<TableBlocks, TableState> states(long position, TableState second) {
    return blocks -> blocks.tableId().equals(Rows.table(1)) ? TableState.at(position) : second;
  }

  private static void appendTo(LogFixture f, int table, long id) {
    List<AppendBatch> batches = List.of(Rows.upsert(f.allocator, table, null, id, 2));
    f.writer().append(batches);
    Rows.close(batches);
  }

  private static Summary newestSummary(LogFixture f) {
    LogReader reader = f.reader();
    return reader.summary(reader.newestBoundary());
  }

  @Test
  void theBoundaryStopsBelowTheFirstBlockThatIsNotMaterialized() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 1, 0);
      appendTo(f, 1, 1);
      appendTo(f, 2, 2);
      appendTo(f, 1, 3);

      TrimResult result = f.trimmer().trim(states(4, TableState.keep()));

      assertThat(result.outcome()).isEqualTo(Outcome.TRIMMED);
      assertThat(result.boundary().number()).isEqualTo(2);
      assertThat(f.trimmer().trim(states(4, TableState.keep())).outcome())
          .isEqualTo(Outcome.NOTHING);
    }
  }

  @Test
  void theSummaryOfABoundaryIsReadOnce() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 1, 0);
      f.trimmer().trim(states(1, TableState.keep()));
      LogReader reader = f.reader();
      Boundary boundary = reader.newestBoundary();
      Summary first = reader.summary(boundary);

      f.counted.reset();
      assertThat(reader.summary(boundary)).isSameAs(first);

      assertThat(f.counted.counts()).isEmpty();
    }
  }

  @Test
  void parkedBlocksKeepTheirPlaceInTheOrderAndTheirBytes() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 2, 10);
      appendTo(f, 1, 0);
      appendTo(f, 2, 20);

      TrimResult result = f.trimmer().trim(states(3, TableState.park(0)));
      f.deleteBelow(3);

      assertThat(result.boundary().number()).isEqualTo(3);
      List<BlockRef> parked = newestSummary(f).parked(Rows.table(2), 0);
      assertThat(parked).extracting(BlockRef::number).containsExactly(1L, 3L);
      assertThat(parked).isSorted();
      LogReader reader = f.reader();
      assertThat(Rows.read(reader, parked.get(0), f.allocator)).isEqualTo(Rows.expected(10, 2));
      assertThat(Rows.read(reader, parked.get(1), f.allocator)).isEqualTo(Rows.expected(20, 2));
      assertThat(newestSummary(f).parked(Rows.table(2), 1)).hasSize(1);
    }
  }

  @Test
  void parkedBlocksAreCarriedOnUntilTheirTableHasTakenThem() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 2, 10);
      f.trimmer().trim(states(0, TableState.park(0)));
      appendTo(f, 1, 0);
      f.trimmer().trim(states(2, TableState.keep()));
      assertThat(newestSummary(f).parked()).hasSize(1);

      appendTo(f, 1, 0);
      f.trimmer().trim(states(3, TableState.at(1)));

      assertThat(newestSummary(f).parked()).isEmpty();
      assertThat(newestSummary(f).tablePositions().get(Rows.table(2)).number()).isEqualTo(1);
    }
  }

  @Test
  void blocksOfATableThatIsGoneAreGivenUpAndReported() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 2, 10);
      f.trimmer().trim(states(0, TableState.park(0)));
      appendTo(f, 2, 20);

      TrimResult result = f.trimmer().trim(states(0, TableState.drop(0)));

      assertThat(result.dropped()).extracting(BlockRef::number).containsExactly(1L, 2L);
      assertThat(newestSummary(f).parked()).isEmpty();
    }
  }

  @Test
  void aTableThatWentBackIsAlarmedAndItsBlocksStay() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 1, 0);
      appendTo(f, 1, 1);
      f.trimTo(2);
      appendTo(f, 1, 2);

      TrimResult result = f.trimTo(1);

      assertThat(result.outcome()).isEqualTo(Outcome.NOTHING);
      assertThat(result.alarms()).hasSize(1);
      assertThat(result.alarms().get(0)).hasMessageContaining("restored from a backup");
      assertThat(result.alarms().get(0).kind()).isEqualTo(ErrorKind.CORRUPT);
    }
  }

  @Test
  void whatOneTableHoldsBackIsCounted() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 2, 0);
      appendTo(f, 1, 0);
      appendTo(f, 1, 0);
      long[] heldBack = new long[3];

      f.trimmer()
          .trim(
              blocks -> {
                heldBack[blocks.tableId().equals(Rows.table(1)) ? 1 : 2] = blocks.heldBack(0);
                return TableState.keep();
              });

      assertThat(heldBack).containsExactly(0, 2, 3);
    }
  }

  @Test
  void oneOfTwoTrimmersWins() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 1, 0);
      f.store.before(StoreOp.PUT_IF_ABSENT, f.boundary(1), () -> f.trimTo(1));

      assertThat(f.trimTo(1).outcome()).isEqualTo(Outcome.OVERTAKEN);
      assertThat(f.reader().newestBoundary().k()).isEqualTo(1);
    }
  }

  @Test
  void aBoundaryWhoseAnswerWasLostIsRecognized() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 1, 0);
      f.store.script(StoreOp.PUT_IF_ABSENT, f.boundary(1), Toxic.FAIL_AFTER);

      assertThat(f.trimTo(1).outcome()).isEqualTo(Outcome.TRIMMED);
    }
  }

  @Test
  void aBoundaryThatTravelsIsUnknownAndRightWhenItLands() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 1, 0);
      for (int i = 0; i < 3; i++) {
        f.store.script(StoreOp.PUT_IF_ABSENT, f.boundary(1), Toxic.DELAY);
      }

      assertThat(f.trimTo(1).outcome()).isEqualTo(Outcome.UNKNOWN);
      f.store.landAll();

      assertThat(f.reader().newestBoundary().number()).isEqualTo(1);
      assertThat(LogFixture.number(f.append(f.writer(), 5))).isEqualTo(2);
    }
  }

  @Test
  void deletionWaitsForTheGraceByTheStoresClockAndTakesStragglers() {
    try (LogFixture f = new LogFixture()) {
      f.ghost(1, 9, null);
      appendTo(f, 1, 0);
      appendTo(f, 1, 1);
      f.trimTo(1);
      WalTrimmer trimmer = f.trimmer();
      assertThat(trimmer.deleteBelowBoundary()).isZero();

      f.now = f.now.plus(PAST_GRACE);
      assertThat(trimmer.deleteBelowBoundary()).isEqualTo(1);
      assertThat(f.keys()).doesNotContain(Paths.segment(f.log, 1));
      assertThat(f.keys()).contains(Paths.segment(f.log, 2));

      f.store.land(0);
      assertThat(f.keys()).contains(Paths.segment(f.log, 1));
      assertThat(f.trimmer().deleteBelowBoundary()).isEqualTo(1);
      assertThat(f.keys()).doesNotContain(Paths.segment(f.log, 1));
    }
  }

  /// Case b151: what may be deleted is told by the store's times alone, whatever the clocks of the
  /// host say, and what is on its way for hours is not taken for lost.
  @Test
  void b151_aClockThatIsHoursOffDeletesNothingThatIsNeeded() {
    for (Duration storeAhead : List.of(Duration.ofHours(-2), Duration.ofHours(2))) {
      try (LogFixture f = new LogFixture()) {
        f.storeAhead = storeAhead;
        f.append(f.writer(), 0);
        f.append(f.writer(), 1);
        f.ghost(3, 9, null);
        f.trimTo(1);
        Duration step = Duration.ofMinutes(20);
        for (Duration age = Duration.ZERO; age.toMinutes() < 60; age = age.plus(step)) {
          assertThat(f.trimmer().deleteBelowBoundary()).isZero();
          f.now = f.now.plus(step);
        }
        assertThat(f.trimmer().deleteBelowBoundary()).isEqualTo(1);
        assertThat(f.keys()).doesNotContain(Paths.segment(f.log, 1));
        assertThat(f.readable()).containsExactly(1L);

        f.store.land(0);
        assertThat(f.trimmer().deleteBelowBoundary()).isZero();
        assertThat(f.readable()).containsExactly(1L, 9L);
      }
    }
  }

  @Test
  void oldSummariesAndUnlistedParkedObjectsAreDeletedNewOnesAndBoundariesStay() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 2, 0);
      f.trimmer().trim(states(0, TableState.park(0)));
      for (int round = 2; round <= 8; round++) {
        appendTo(f, 1, 0);
        f.trimmer().trim(states(round, TableState.at(1)));
      }
      String sleeping = Paths.summary(f.log, 9, Rows.table(3));
      f.counted.put(sleeping, new byte[1]);
      f.now = f.now.plus(PAST_GRACE);

      f.trimmer().deleteBelowBoundary();

      assertThat(f.counted.list(Paths.parkedObjects(f.log), "", 10)).isEmpty();
      assertThat(f.counted.list(Paths.summaries(f.log), "", 10)).hasSize(4 + 1);
      assertThat(f.counted.list(Paths.boundaries(f.log), "", 10)).hasSize(8);
      assertThat(f.counted.head(sleeping)).isPresent();
      assertThat(newestSummary(f).k()).isEqualTo(8);
    }
  }

  @Test
  void aDamagedBlockIsParkedAsItIsAndStopsItsTableAlone() {
    try (LogFixture f = new LogFixture()) {
      appendTo(f, 2, 10);
      appendTo(f, 1, 0);
      BlockRef block = f.reader().read(0).blocks(Rows.table(2)).get(0);
      String key = Paths.segment(f.log, 1);
      byte[] bytes = f.counted.get(key, ByteRange.ALL).orElseThrow().bytes();
      bytes[(int) block.location().keys().offset() + 20] ^= 1;
      f.counted.put(key, bytes);

      f.trimmer().trim(states(2, TableState.park(0)));
      f.deleteBelow(2);

      LogReader reader = f.reader();
      BlockRef parked = newestSummary(f).parked().get(0);
      assertThat(parked.location().place()).isEqualTo(Place.PARKED);
      assertThat(errorOf(() -> Rows.read(reader, parked, f.allocator)))
          .isEqualTo(ErrorKind.CORRUPT);
      AcceptedLoss.ofBlock(f.root, f.log, parked.number(), parked.index(), "bit rot");
      assertThat(errorOf(() -> Rows.read(reader, parked, f.allocator)))
          .as("whoever has read a part of it starts over")
          .isEqualTo(ErrorKind.CONFLICT);
      assertThat(Rows.read(reader, parked, f.allocator)).isEmpty();
    }
  }

  @Test
  void aTruncateIsParkedAFlushIsNot() {
    try (LogFixture f = new LogFixture()) {
      f.writer()
          .append(
              List.of(
                  AppendBatch.ofNoRows(Rows.header(2, BlockKind.TRUNCATE), null),
                  AppendBatch.ofNoRows(Rows.header(2, BlockKind.FLUSH), null)));

      f.trimmer().trim(states(0, TableState.park(0)));

      assertThat(newestSummary(f).parked())
          .extracting(block -> block.header().kind())
          .containsExactly(BlockKind.TRUNCATE);
    }
  }

  @Test
  void roundsAreDueByCountOrByAge() {
    TrimLimits limits = TrimLimits.DEFAULTS;

    assertThat(limits.isDue(256, Duration.ZERO)).isTrue();
    assertThat(limits.isDue(255, Duration.ofMinutes(9))).isFalse();
    assertThat(limits.isDue(1, Duration.ofMinutes(10))).isTrue();
    assertThat(limits.isDue(0, Duration.ofHours(10))).isFalse();
  }

  static ErrorKind errorOf(Runnable action) {
    try {
      action.run();
    } catch (IcewalException e) {
      return e.kind();
    }
    throw new AssertionError("nothing was thrown");
  }
}
