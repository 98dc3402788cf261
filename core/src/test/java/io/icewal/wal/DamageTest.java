package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Damage of the log is loud, names its place, and can be accepted; what only looks like it is not
/// taken for it.
class DamageTest {

  private static LogFixture withSegments(int count) {
    LogFixture f = new LogFixture();
    WalWriter writer = f.writer();
    for (int i = 1; i <= count; i++) {
      f.append(writer, i);
    }
    return f;
  }

  private static void flip(LogFixture f, String key, int at) {
    byte[] bytes = f.counted.get(key, ByteRange.ALL).orElseThrow().bytes();
    bytes[at < 0 ? bytes.length + at : at] ^= 1;
    f.counted.put(key, bytes);
  }

  private static void assertCorrupt(Runnable action, String... words) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CORRUPT))
        .hasMessageContainingAll(words);
  }

  @Test
  void b149_aHoleStopsReadersAndWritersWithItsNameUntilItsLossIsAccepted() {
    try (LogFixture f = withSegments(4)) {
      f.counted.delete(List.of(Paths.segment(f.log, 2)));

      assertCorrupt(() -> f.reader().read(0), "segment 2", Paths.segment(f.log, 2));
      assertCorrupt(() -> f.append(f.writer(), 9), "segment 2");
      AcceptedLoss.ofSegment(f.root, f.log, 2, "deleted by a lifecycle rule", f.random);

      assertThat(f.readable()).containsExactly(1L, 3L, 4L);
      assertThat(f.reader().read(0).segments().get(1).acceptedLoss())
          .isEqualTo("deleted by a lifecycle rule");
      assertThat(LogFixture.number(f.append(f.writer(), 9))).isEqualTo(5);
      f.materializeAndTrim(5);
      assertThat(f.all()).containsExactly(1L, 3L, 4L, 9L);
    }
  }

  @Test
  void b148_aBadFooterStopsTheLogUntilItsLossIsAccepted() {
    try (LogFixture f = withSegments(3)) {
      flip(f, Paths.segment(f.log, 2), -30);

      assertCorrupt(() -> f.reader().read(0), Paths.segment(f.log, 2));
      assertCorrupt(() -> f.append(f.writer(), 9), Paths.segment(f.log, 2));
      AcceptedLoss.ofSegment(f.root, f.log, 2, "bad disk", f.random);

      assertThat(f.readable()).containsExactly(1L, 3L);
      assertThat(LogFixture.number(f.append(f.writer(), 9))).isEqualTo(4);
    }
  }

  @Test
  void b148_aBadBlockStopsItsTableAlone() {
    try (LogFixture f = new LogFixture()) {
      List<AppendBatch> batches =
          List.of(Rows.upsert(f.allocator, 1, null, 0, 3), Rows.upsert(f.allocator, 2, null, 7, 3));
      f.writer().append(batches);
      Rows.close(batches);
      BlockRef first = f.reader().read(0).segments().get(0).blocks().get(0);
      flip(f, Paths.segment(f.log, 1), (int) first.location().rest().offset() + 17);

      LogReader reader = f.reader();
      List<BlockRef> blocks = reader.read(0).segments().get(0).blocks();
      assertCorrupt(
          () -> Rows.read(reader, blocks.get(0), f.allocator),
          "ns.t1",
          "block 0",
          Paths.segment(f.log, 1));
      assertThat(Rows.read(reader, blocks.get(1), f.allocator)).isEqualTo(Rows.expected(7, 3));
    }
  }

  @Test
  void onlyADamagedBlockOfTheLogCanBeAcceptedAsLost() {
    try (LogFixture f = withSegments(2)) {
      BlockRef second = f.reader().read(0).segments().get(1).blocks().get(0);
      assertThat(WalTrimmerTest.errorOf(() -> acceptBlock(f, 2, 0))).isEqualTo(ErrorKind.INVALID);
      assertThat(WalTrimmerTest.errorOf(() -> acceptBlock(f, 2, 1))).isEqualTo(ErrorKind.INVALID);
      assertThat(WalTrimmerTest.errorOf(() -> acceptBlock(f, 3, 0))).isEqualTo(ErrorKind.INVALID);
      flip(f, Paths.segment(f.log, 2), (int) second.location().rest().offset() + 17);

      acceptBlock(f, 2, 0);

      LogReader reader = f.reader();
      BlockRef lost = reader.read(0).segments().get(1).blocks().get(0);
      assertThat(WalTrimmerTest.errorOf(() -> Rows.read(reader, lost, f.allocator)))
          .isEqualTo(ErrorKind.CONFLICT);
      assertThat(Rows.read(reader, lost, f.allocator)).isEmpty();
    }
  }

  private static void acceptBlock(LogFixture f, long number, int index) {
    AcceptedLoss.ofBlock(f.root, f.log, number, index, "bad disk");
  }

  @Test
  void aHoleThatWasFilledAgainShows() {
    try (LogFixture f = new LogFixture()) {
      f.ghost(2 - 1, 9, null);
      WalWriter writer = f.writer();
      f.append(writer, 1);
      f.append(writer, 2);
      f.counted.delete(List.of(Paths.segment(f.log, 1)));
      f.store.land(0);

      assertCorrupt(() -> f.reader().read(0), "segment 2", "was replaced");
      assertCorrupt(() -> f.append(f.writer(), 3), "segment 2");
    }
  }

  @Test
  void onlyWhatIsLostCanBeAccepted() {
    try (LogFixture f = withSegments(3)) {
      assertThat(WalTrimmerTest.errorOf(() -> accept(f, 2))).isEqualTo(ErrorKind.INVALID);
      assertThat(WalTrimmerTest.errorOf(() -> accept(f, 4))).isEqualTo(ErrorKind.INVALID);
      f.trimTo(2);
      f.deleteBelow(2);
      assertThat(WalTrimmerTest.errorOf(() -> accept(f, 2))).isEqualTo(ErrorKind.CONFLICT);
    }
  }

  private static void accept(LogFixture f, long number) {
    AcceptedLoss.ofSegment(f.root, f.log, number, "no reason", f.random);
  }

  @Test
  void b152_aBlockWhoseSegmentWasTrimmedMeanwhileIsAConflict() {
    try (LogFixture f = withSegments(2)) {
      LogReader reader =
          new LogReader(f.root, f.log, Runnable::run, new ReaderLimits(256 << 10, 1, 0, 1000));
      List<BlockRef> blocks = reader.read(0).blocks(Rows.table(1));
      f.trimTo(2);
      f.deleteBelow(2);

      assertThat(WalTrimmerTest.errorOf(() -> Rows.read(reader, blocks.get(0), f.allocator)))
          .isEqualTo(ErrorKind.CONFLICT);
      assertThat(reader.confirm(Boundary.NONE, reader.read(0))).isFalse();
    }
  }

  @Test
  void anotherObjectInTheSlotIsAConflictNotDamage() {
    try (LogFixture f = new LogFixture()) {
      f.ghost(1, 9, null);
      f.append(f.writer(), 1);
      LogReader reader =
          new LogReader(f.root, f.log, Runnable::run, new ReaderLimits(256 << 10, 1, 0, 1000));
      BlockRef block = reader.read(0).blocks(Rows.table(1)).get(0);
      f.trimTo(1);
      f.deleteBelow(1);
      f.store.land(0);

      assertThat(WalTrimmerTest.errorOf(() -> Rows.read(reader, block, f.allocator)))
          .isEqualTo(ErrorKind.CONFLICT);
    }
  }

  @Test
  void aMissingSummaryOfTheNewestBoundaryIsDamage() {
    try (LogFixture f = withSegments(1)) {
      f.trimTo(1);
      f.counted.delete(List.of(f.reader().newestBoundary().summaryKey()));

      assertCorrupt(() -> f.append(f.writer(), 2), "summary", "missing");
    }
  }

  @Test
  void aDamagedBoundaryOrSummaryIsRefused() {
    try (LogFixture f = withSegments(1)) {
      f.trimTo(1);
      String summary = f.reader().newestBoundary().summaryKey();
      byte[] intact = f.counted.get(summary, ByteRange.ALL).orElseThrow().bytes();
      for (int at = 0; at < intact.length; at++) {
        flip(f, summary, at);
        assertCorrupt(() -> f.append(f.writer(), 2), summary);
        f.counted.put(summary, intact);
      }
      flip(f, Paths.boundary(f.log, 1), 0);
      assertCorrupt(() -> f.reader().newestBoundary(), Paths.boundary(f.log, 1));
    }
  }
}
