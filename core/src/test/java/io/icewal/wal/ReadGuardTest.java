package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.ErrorKind;
import io.icewal.model.Position;
import io.icewal.storage.StoreOp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// A statement that reads before it writes never writes over what it has not read.
class ReadGuardTest {

  private static List<AppendOutcome> appendIf(
      LogFixture f, WalWriter writer, Predicate<BlockRef> conflicts, Position read) {
    List<AppendBatch> batches = List.of(Rows.upsert(f.allocator, 1, null, 100, 1));
    try {
      return writer.appendIf(batches, conflicts, read);
    } finally {
      Rows.close(batches);
    }
  }

  @Test
  void blocksAfterTheReadPositionAreEachLookedAtOnce() {
    try (LogFixture f = new LogFixture()) {
      WalWriter other = f.writer();
      f.append(other, 1);
      f.append(other, 2);
      List<BlockRef> looked = new ArrayList<>();
      f.store.before(StoreOp.PUT_IF_ABSENT, f.segment(3), () -> f.append(other, 3));

      List<AppendOutcome> outcomes =
          appendIf(
              f,
              f.writer(),
              block -> {
                looked.add(block);
                return false;
              },
              f.log.at(1));

      assertThat(LogFixture.number(outcomes.get(0))).isEqualTo(4);
      assertThat(looked).extracting(BlockRef::number).containsExactly(2L, 3L);
    }
  }

  @Test
  void b020_whoWinsTheSlotFirstMakesTheOtherReadAgain() {
    try (LogFixture f = new LogFixture()) {
      WalWriter other = f.writer();
      f.append(other, 1);
      f.store.before(StoreOp.PUT_IF_ABSENT, f.segment(2), () -> f.append(other, 2));

      ErrorKind kind =
          WalTrimmerTest.errorOf(() -> appendIf(f, f.writer(), block -> true, f.log.at(1)));

      assertThat(kind).isEqualTo(ErrorKind.CONFLICT);
      assertThat(f.all()).containsExactly(1L, 2L);
    }
  }

  @Test
  void aBoundaryBeyondTheReadPositionIsAConflict() {
    try (LogFixture f = new LogFixture()) {
      f.append(f.writer(), 1);
      f.append(f.writer(), 2);
      f.materializeAndTrim(2);

      ErrorKind kind =
          WalTrimmerTest.errorOf(() -> appendIf(f, f.writer(), block -> false, f.log.at(1)));

      assertThat(kind).isEqualTo(ErrorKind.CONFLICT);
      assertThat(f.all()).containsExactly(1L, 2L);
    }
  }

  @Test
  void blocksOfOtherTablesDoNotConflict() {
    try (LogFixture f = new LogFixture()) {
      List<AppendBatch> batches = List.of(Rows.upsert(f.allocator, 2, null, 1, 1));
      f.writer().append(batches);
      Rows.close(batches);

      List<AppendOutcome> outcomes = appendIf(f, f.writer(), block -> true, f.log.at(0));

      assertThat(LogFixture.number(outcomes.get(0))).isEqualTo(2);
    }
  }
}
