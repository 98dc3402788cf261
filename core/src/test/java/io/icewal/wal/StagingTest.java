package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.RowBatch;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import io.icewal.wal.AppendOutcome.Appended;
import io.icewal.wal.AppendOutcome.Repeat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StagingTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static StagedBlock stage(LogFixture f, long from, int count) {
    RowBatch rows = Rows.rows(f.allocator, Rows.KEYED, from, count);
    try {
      StagedBlock staged = f.staging().stage(Rows.header(1, BlockKind.UPSERT), List.of(rows));
      return StagedBlock.fromBytes(staged.toBytes());
    } finally {
      rows.close();
    }
  }

  @Test
  void stagedBlocksOfManyTasksArePublishedByOneSegmentAllOrNone() {
    try (LogFixture f = new LogFixture()) {
      List<AppendBatch> publish = new ArrayList<>();
      for (int task = 0; task < 3; task++) {
        StagedBlock staged = stage(f, task * 10L, 5);
        publish.add(AppendBatch.ofStaged(LogFixture.sequence("insert-1", task), staged));
      }
      assertThat(f.readable()).isEmpty();

      List<AppendOutcome> outcomes = f.writer().append(publish);

      assertThat(outcomes).hasSize(3).allMatch(Appended.class::isInstance);
      assertThat(f.readable()).hasSize(15).startsWith(0L, 1L).endsWith(23L, 24L);
      assertThat(f.writer().append(publish)).allMatch(Repeat.class::isInstance);
      assertThat(f.readable()).hasSize(15);
    }
  }

  @Test
  void whatNoSegmentRefersToIsReadWhereItLiesInOtherProcessesToo() {
    try (LogFixture f = new LogFixture()) {
      BlockRef block = stage(f, 20, 5).unpublished(f.log, 3);

      List<BlockRef> sent = BlockReferences.fromBytes(BlockReferences.toBytes(List.of(block)));

      assertThat(sent).containsExactly(block);
      try (FrameRows keys = f.reader().readKeys(sent.get(0), f.allocator)) {
        assertThat(keys.rowCount()).isEqualTo(5);
      }
      f.counted.delete(List.of(block.location().object()));
      assertThatThrownBy(() -> f.reader().readKeys(block, f.allocator))
          .hasMessageContaining("staged block 3 (table")
          .hasMessageContaining("is gone");
      assertThat(f.readable()).isEmpty();
    }
  }

  @Test
  void aLostAnswerToStagingIsRetriedUnderTheSameName() {
    try (LogFixture f = new LogFixture()) {
      f.store.script(StoreOp.PUT_IF_ABSENT, key -> key.contains("/staged/"), Toxic.FAIL_AFTER);

      StagedBlock staged = stage(f, 0, 5);

      assertThat(f.counted.list(Paths.stagedObjects(f.log), "", 10)).hasSize(1);
      f.writer().append(List.of(AppendBatch.ofStaged(null, staged)));
      assertThat(f.readable()).hasSize(5);
    }
  }

  @Test
  void publishingRefusesWhatIsADayOldOrGone() {
    try (LogFixture f = new LogFixture()) {
      StagedBlock staged = stage(f, 0, 5);
      List<AppendBatch> publish = List.of(AppendBatch.ofStaged(null, staged));
      f.now = f.now.plus(Duration.ofHours(24)).plus(HOUR);

      assertThat(WalTrimmerTest.errorOf(() -> f.writer().append(publish)))
          .isEqualTo(ErrorKind.INVALID);
      f.counted.delete(List.of(staged.location().object()));
      assertThat(WalTrimmerTest.errorOf(() -> f.writer().append(publish)))
          .isEqualTo(ErrorKind.INVALID);
      assertThat(f.readable()).isEmpty();
    }
  }

  @Test
  void cleanUpTakesWhatIsOldAndReferredToByNothing() {
    try (LogFixture f = new LogFixture()) {
      StagedBlock published = stage(f, 0, 5);
      StagedBlock forgotten = stage(f, 10, 5);
      f.writer().append(List.of(AppendBatch.ofStaged(null, published)));
      f.now = f.now.plus(Duration.ofHours(71));
      assertThat(f.staging().deleteUnreferenced()).isZero();

      f.now = f.now.plus(Duration.ofHours(2));
      StagedBlock young = stage(f, 20, 5);
      assertThat(f.staging().deleteUnreferenced()).isEqualTo(1);

      assertThat(f.counted.head(forgotten.location().object())).isEmpty();
      assertThat(f.counted.head(young.location().object())).isPresent();
      assertThat(f.readable()).hasSize(5);
    }
  }

  @Test
  void parkedBlocksKeepTheirStagedBytes() {
    try (LogFixture f = new LogFixture()) {
      StagedBlock staged = stage(f, 0, 5);
      f.writer().append(List.of(AppendBatch.ofStaged(null, staged)));
      f.trimmer().trim(blocks -> TableState.park(0));
      f.deleteBelow(1);
      f.now = f.now.plus(Duration.ofHours(73));

      assertThat(f.staging().deleteUnreferenced()).isZero();

      LogReader reader = f.reader();
      List<BlockRef> parked = reader.summary(reader.newestBoundary()).parked();
      assertThat(Rows.read(reader, parked.get(0), f.allocator)).isEqualTo(Rows.expected(0, 5));
    }
  }

  @Test
  void cleanUpDoesNothingWhenTheBoundaryMovesMeanwhile() {
    try (LogFixture f = new LogFixture()) {
      StagedBlock staged = stage(f, 0, 5);
      f.writer().append(List.of(AppendBatch.ofStaged(null, staged)));
      f.now = f.now.plus(Duration.ofHours(73));
      f.store.before(
          StoreOp.LIST,
          key -> key.endsWith("/segments/"),
          () -> {
            f.trimmer().trim(blocks -> TableState.park(0));
            f.deleteBelow(1);
          });

      assertThat(f.staging().deleteUnreferenced()).isZero();
      assertThat(f.counted.head(staged.location().object())).isPresent();
    }
  }
}
