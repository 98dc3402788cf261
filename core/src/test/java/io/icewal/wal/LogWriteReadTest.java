package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.BlockKind;
import io.icewal.model.RowBatch;
import io.icewal.storage.StoreOp;
import io.icewal.wal.AppendOutcome.Appended;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is appended comes back, in order, and what a group costs.
class LogWriteReadTest {

  @Test
  void everyKindOfBatchComesBackInOrder() {
    try (LogFixture f = new LogFixture()) {
      List<AppendBatch> batches = new ArrayList<>();
      batches.add(Rows.upsert(f.allocator, 1, LogFixture.sequence("p", 0), 0, 3));
      batches.add(Rows.upsert(f.allocator, 2, null, 100, 2));
      batches.add(Rows.upsert(f.allocator, 1, LogFixture.sequence("p", 1), 3, 4));
      RowBatch deletes = Rows.deletes(f.allocator, 1, 2);
      batches.add(AppendBatch.ofRows(Rows.header(1, BlockKind.DELETE), null, deletes));
      RowBatch mixed = Rows.mixed(f.allocator, 50, 3);
      batches.add(AppendBatch.ofRows(Rows.header(1, BlockKind.MIXED), null, mixed));
      batches.add(AppendBatch.ofNoRows(Rows.header(1, BlockKind.TRUNCATE), null));

      List<AppendOutcome> outcomes = f.writer().append(batches);
      Rows.close(batches);

      assertThat(outcomes.get(2)).isEqualTo(new Appended(f.log.at(1), 0, 3));
      LogReader reader = f.reader();
      SegmentRun run = reader.read(0);
      List<BlockRef> blocks = run.blocks(Rows.table(1));
      assertThat(blocks)
          .extracting(b -> b.header().kind())
          .containsExactly(BlockKind.UPSERT, BlockKind.DELETE, BlockKind.MIXED, BlockKind.TRUNCATE);
      assertThat(Rows.read(reader, blocks.get(0), f.allocator)).isEqualTo(Rows.expected(0, 7));
      assertThat(Rows.read(reader, blocks.get(1), f.allocator)).containsExactly("1=-", "2=-");
      assertThat(Rows.read(reader, blocks.get(2), f.allocator))
          .containsExactly("50=value of 50", "51=value of 51 deleted", "52=value of 52");
      assertThat(blocks.get(0).batches())
          .containsExactly(
              new BatchEntry(LogFixture.sequence("p", 0), 3),
              new BatchEntry(LogFixture.sequence("p", 1), 4));
    }
  }

  @Test
  void appendOnlyTablesHaveARestPartAlone() {
    try (LogFixture f = new LogFixture()) {
      BlockHeader header =
          new BlockHeader(Rows.table(1), "t", 0, 2, Rows.APPEND_ONLY, BlockKind.UPSERT);
      RowBatch rows = Rows.rows(f.allocator, Rows.APPEND_ONLY, 0, 9);
      List<AppendBatch> batches = List.of(AppendBatch.ofRows(header, null, rows));
      f.writer().append(batches);
      Rows.close(batches);

      LogReader reader = f.reader();
      BlockRef block = reader.read(0).blocks(Rows.table(1)).get(0);
      assertThat(block.location().keys()).isNull();
      assertThat(Rows.read(reader, block, f.allocator)).isEqualTo(Rows.expected(0, 9));
    }
  }

  @Test
  void aLoneWriterPaysOnePutAndOneGetPerGroup() {
    try (LogFixture f = new LogFixture()) {
      WalWriter writer = f.writer();
      f.append(writer, 1);
      f.counted.reset();

      f.append(writer, 2);

      assertThat(f.counted.counts()).isEqualTo(Map.of(StoreOp.PUT_IF_ABSENT, 1, StoreOp.GET, 1));
    }
  }

  @Test
  void aThousandBatchesOfAHundredTablesAreOnePut() {
    try (LogFixture f = new LogFixture()) {
      WalWriter writer = f.writer();
      f.append(writer, 1);
      f.counted.reset();
      List<AppendBatch> batches = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        batches.add(Rows.upsert(f.allocator, i % 100, null, i, 2));
      }

      List<AppendOutcome> outcomes = writer.append(batches);
      Rows.close(batches);

      assertThat(outcomes).hasSize(1000).allMatch(Appended.class::isInstance);
      assertThat(f.counted.counts()).isEqualTo(Map.of(StoreOp.PUT_IF_ABSENT, 1, StoreOp.GET, 1));
      assertThat(f.reader().read(1).segments().get(0).blocks()).hasSize(100);
    }
  }

  @Test
  void aWarmReaderPaysOneListOneGetPerNewSegmentAndOneLook() {
    try (LogFixture f = new LogFixture()) {
      WalWriter writer = f.writer();
      f.append(writer, 1);
      LogReader reader = f.reader();
      Boundary noted = reader.newestBoundary();
      assertThat(reader.confirm(noted, reader.read(0))).isTrue();
      f.append(writer, 2);
      f.counted.reset();

      SegmentRun run = reader.read(0);
      assertThat(reader.confirm(noted, run)).isTrue();
      List<String> rows = Rows.read(reader, run.blocks(Rows.table(1)).get(1), f.allocator);

      assertThat(rows).isEqualTo(Rows.expected(2, 1));
      assertThat(f.counted.counts()).isEqualTo(Map.of(StoreOp.LIST, 1, StoreOp.GET, 2));
    }
  }

  @Test
  void anIdleFollowerPaysOneGet() {
    try (LogFixture f = new LogFixture()) {
      f.append(f.writer(), 1);
      LogReader reader = f.reader();
      assertThat(reader.read(0).end()).isEqualTo(1);
      assertThat(reader.read(1).end()).isEqualTo(1);
      reader.read(1);
      f.counted.reset();

      assertThat(reader.read(1).segments()).isEmpty();

      assertThat(f.counted.counts()).isEqualTo(Map.of(StoreOp.GET, 1));
    }
  }

  @Test
  void aTablesLogNeverChangesAndPositionsOfOthersAreRefused() {
    try (LogFixture f = new LogFixture();
        LogFixture other = new LogFixture()) {
      LogRoot three =
          LogRoot.openOrCreate(new io.icewal.storage.MemoryObjectStore(() -> f.now), 3, f.random);

      assertThat(three.logOf(Rows.table(1))).isEqualTo(three.logOf(Rows.table(1)));
      assertThat(LogRoot.openOrCreate(f.store, 9, f.random).root()).isEqualTo(f.root.root());
      assertThatThrownBy(() -> three.checkOwn(f.log.at(3))).hasMessageContaining("another log");
      assertThat(other.root.logs()).isEqualTo(1);
    }
  }
}
