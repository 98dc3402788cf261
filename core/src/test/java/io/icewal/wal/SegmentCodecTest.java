package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowBatch;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.StoredBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Damage of any kind is found, and never yields a wrong row.
class SegmentCodecTest {
  private static final int KEPT_BYTES = 40;

  private static byte[] segment(LogFixture f) {
    List<AppendBatch> batches = new ArrayList<>();
    batches.add(Rows.upsert(f.allocator, 1, LogFixture.sequence("p", 7), 0, 5));
    RowBatch mixed = Rows.mixed(f.allocator, 50, 3);
    batches.add(AppendBatch.ofRows(Rows.header(2, BlockKind.MIXED), null, mixed));
    batches.add(AppendBatch.ofNoRows(Rows.header(1, BlockKind.FLUSH), null));
    WalWriter writer =
        new WalWriter(f.root, f.log, f.random, () -> f.now, "grpc://a:1", LogFixture.LIMITS);
    writer.append(batches);
    Rows.close(batches);
    return f.store.get(Paths.segment(f.log, 1), ByteRange.ALL).orElseThrow().bytes();
  }

  /// Everything that a reader does with a segment.
  private static List<String> readAll(LogFixture f, byte[] bytes) {
    ObjectMeta meta = new ObjectMeta("segment under test", bytes.length, f.now);
    StoredBytes stored = new StoredBytes(bytes, 0, meta);
    if (SegmentCodec.footerBytes(stored) > bytes.length) {
      throw Sealed.corrupt("segment under test", "is shorter than its footer");
    }
    SegmentFooter footer = SegmentCodec.decodeFooter(f.log, 1, stored);
    List<String> rows = new ArrayList<>();
    for (BlockRef block : footer.blocks()) {
      try (FrameRows keys = decode(f, bytes, block, block.location().keys());
          FrameRows rest = decode(f, bytes, block, block.location().rest())) {
        rows.addAll(Rows.text(keys, rest));
      }
    }
    return rows;
  }

  private static FrameRows decode(
      LogFixture f, byte[] bytes, BlockRef block, BlockLocation.@Nullable Part part) {
    if (part == null) {
      return FrameRows.EMPTY;
    }
    int offset = Math.toIntExact(part.offset());
    String wrong = SegmentCodec.whyNotPart(bytes, offset, block.location(), part);
    if (!wrong.isEmpty()) {
      throw Sealed.corrupt(block.describe(), wrong);
    }
    return SegmentCodec.decodePart(bytes, offset, block, part, f.allocator);
  }

  private static void assertCorrupt(LogFixture f, byte[] bytes, String what) {
    Throwable thrown = catchThrowable(() -> readAll(f, bytes));
    assertThat(thrown).as(what).isInstanceOf(IcewalException.class);
    assertThat(((IcewalException) thrown).kind()).as(what).isEqualTo(ErrorKind.CORRUPT);
  }

  @Test
  void b148_everyFlippedBitIsFound() {
    try (LogFixture f = new LogFixture()) {
      byte[] bytes = segment(f);
      assertThat(readAll(f, bytes)).hasSize(8);

      for (int bit = 0; bit < bytes.length * 8; bit++) {
        byte[] flipped = bytes.clone();
        flipped[bit / 8] ^= (byte) (1 << (bit % 8));
        assertCorrupt(f, flipped, "bit " + bit);
      }
    }
  }

  @Test
  void b148_everyCutAndEveryAdditionIsFound() {
    try (LogFixture f = new LogFixture()) {
      byte[] bytes = segment(f);

      for (int length = 0; length < bytes.length; length++) {
        assertCorrupt(f, Arrays.copyOf(bytes, length), "cut to " + length);
        if (length > 0) {
          assertCorrupt(
              f, Arrays.copyOfRange(bytes, length, bytes.length), "without first " + length);
        }
      }
      for (int more = 1; more < KEPT_BYTES; more++) {
        assertCorrupt(f, Arrays.copyOf(bytes, bytes.length + more), "with " + more + " zeros");
      }
    }
  }

  @Test
  void aFooterLargerThanTheFirstGetIsFetchedWhole() {
    try (LogFixture f = new LogFixture()) {
      segment(f);
      LogReader reader =
          new LogReader(f.root, f.log, Runnable::run, new ReaderLimits(64, 4, 1 << 20, 1000));

      List<BlockRef> blocks = reader.read(0).blocks(Rows.table(1));

      assertThat(blocks).hasSize(2);
      assertThat(Rows.read(reader, blocks.get(0), f.allocator)).isEqualTo(Rows.expected(0, 5));
    }
  }

  @Test
  void anUnknownVersionIsRefusedByName() {
    try (LogFixture f = new LogFixture()) {
      byte[] bytes = segment(f);
      bytes[bytes.length - Sealed.TRAILER_BYTES] = 2;

      assertThatThrownBy(() -> readAll(f, bytes)).hasMessageContaining("format version 2");
    }
  }

  @Test
  void theFooterTellsWhoWroteTheSegment() {
    try (LogFixture f = new LogFixture()) {
      segment(f);

      SegmentFooter footer = f.reader().read(0).segments().get(0);

      assertThat(footer.flightAddress()).isEqualTo("grpc://a:1");
      assertThat(footer.writerSequence()).isEqualTo(1);
      assertThat(footer.previousId()).isEqualTo(new UUID(0, 0));
      assertThat(footer.modified()).isEqualTo(f.now);
    }
  }
}
