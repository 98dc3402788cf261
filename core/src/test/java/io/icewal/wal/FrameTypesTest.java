package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.BlockKind;
import io.icewal.model.RowBatch;
import io.icewal.parquet.ArrowRecords;
import io.icewal.parquet.RandomRows;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compare.VectorEqualsVisitor;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

/// Columns of every type go through frames and footers unchanged.
class FrameTypesTest {

  @Test
  void randomRowsOfRandomSchemasComeBack() {
    for (long seed = 0; seed < 60; seed++) {
      try (LogFixture f = new LogFixture()) {
        RandomRows random = new RandomRows(seed);
        Schema schema = random.schema(6, 3);
        BlockHeader header = new BlockHeader(Rows.table(1), "t", 3, 99, schema, BlockKind.UPSERT);
        List<Record> expected = new ArrayList<>();
        List<AppendBatch> batches = new ArrayList<>();
        for (int count : new int[] {0, 400, 1, 1, 0, 2, 40, 80, 1, 300, 0}) {
          List<Record> records = random.records(schema, count);
          expected.addAll(records);
          VectorSchemaRoot root = ArrowRecords.toArrow(schema, records, f.allocator);
          batches.add(AppendBatch.ofRows(header, null, new RowBatch(BlockKind.UPSERT, root, null)));
        }
        f.writer().append(batches);
        Rows.close(batches);

        LogReader reader = f.reader();
        BlockRef block = reader.read(0).segments().get(0).blocks().get(0);
        assertThat(block.header()).as("seed %d", seed).isEqualTo(header);
        List<Record> seen = new ArrayList<>();
        try (FrameRows rest = reader.readRest(block, f.allocator)) {
          rest.roots().forEach(root -> seen.addAll(ArrowRecords.toRecords(schema, root)));
        }
        assertThat(ArrowRecords.plain(seen))
            .as("seed %d", seed)
            .isEqualTo(ArrowRecords.plain(expected));
      }
    }
  }

  @Test
  void fiveHundredBatchesOfTwoRowsAreReadAsOne() {
    try (LogFixture f = new LogFixture()) {
      List<AppendBatch> batches = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        RowBatch rows = Rows.mixed(f.allocator, 2 * i, 2);
        batches.add(AppendBatch.ofRows(Rows.header(1, BlockKind.MIXED), null, rows));
      }
      f.writer().append(batches);
      Rows.close(batches);
      List<String> expected = Rows.expected(0, 1_000);
      for (int i = 1; i < expected.size(); i += 2) {
        expected.set(i, expected.get(i) + " deleted");
      }

      LogReader reader = f.reader();
      BlockRef block = reader.read(0).segments().get(0).blocks().get(0);
      try (FrameRows keys = reader.readKeys(block, f.allocator);
          FrameRows rest = reader.readRest(block, f.allocator)) {
        assertThat(keys.roots()).hasSize(1);
        assertThat(rest.roots()).hasSize(1);
        assertThat(Rows.text(keys, rest)).isEqualTo(expected);
      }
    }
  }

  @Test
  void aSlicedBatchIsWrittenAsTheSliceThatItIs() {
    try (LogFixture f = new LogFixture();
        VectorSchemaRoot whole = Rows.root(f.allocator, Rows.KEYED, 0, 20)) {
      RowBatch slice = new RowBatch(BlockKind.UPSERT, whole.slice(7, 6), null);
      List<AppendBatch> batches =
          List.of(AppendBatch.ofRows(Rows.header(1, BlockKind.UPSERT), null, slice));
      f.writer().append(batches);
      Rows.close(batches);

      LogReader reader = f.reader();
      BlockRef block = reader.read(0).segments().get(0).blocks().get(0);
      assertThat(Rows.read(reader, block, f.allocator)).isEqualTo(Rows.expected(7, 6));
    }
  }

  @Test
  void streamsOfAnyLengthComeBackWhateverTheEncoderMadeBefore() throws IOException {
    FrameEncoder encoder = new FrameEncoder();
    try (LogFixture f = new LogFixture()) {
      for (int count : new int[] {3, 140_000, 1, 2_047, 2_048, 2_049, 20_000, 3_000, 131_073}) {
        RowBatch batch = Rows.rows(f.allocator, Rows.KEYED, 7, count);

        assertThat(encodedAndDecoded(encoder, List.of(batch), f.allocator))
            .isEqualTo(Rows.expected(7, count));
      }
    }
  }

  @Test
  void manySmallBatchesComeBackWithLargeOnesBetweenThem() throws IOException {
    List<RowBatch> batches = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    try (LogFixture f = new LogFixture()) {
      for (int i = 0; i < 900; i++) {
        int count = i % 300 == 299 ? 10_000 : 90;
        batches.add(Rows.rows(f.allocator, Rows.KEYED, i, count));
        expected.addAll(Rows.expected(i, count));
      }

      assertThat(encodedAndDecoded(new FrameEncoder(), batches, f.allocator)).isEqualTo(expected);
    }
  }

  @Test
  void buffersOfNumbersAreKnownWhereverTheyAreNested() {
    Types.StructType struct =
        Types.StructType.of(
            Types.NestedField.optional(3, "text", Types.StringType.get()),
            Types.NestedField.optional(4, "number", Types.DoubleType.get()),
            Types.NestedField.optional(5, "short", Types.IntegerType.get()));
    Schema schema =
        new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "struct", struct),
            Types.NestedField.optional(
                6, "list", Types.ListType.ofOptional(7, Types.TimestampType.withZone())));

    // Validity and data of id; the struct's; text has three; the list has two, then its element's.
    assertThat(NumberBuffers.of(ArrowSchemas.toArrow(schema).getFields()).stream())
        .containsExactly(1, 7, 13);
  }

  @Test
  void numbersThatShrinkLittleAreStoredAsTheyAre() throws IOException {
    int count = 20_000;
    try (LogFixture f = new LogFixture()) {
      assertThat(frameOfKeys(f, count, i -> i % 100).length()).isLessThan(count * 2);
      assertThat(frameOfKeys(f, count, i -> mixed(i) >>> 22).length())
          .isBetween(count * 8, count * 8 + 600);
    }
  }

  private static long mixed(long number) {
    return new SplittableRandom(number).nextLong();
  }

  private static FrameEncoder.Frame frameOfKeys(LogFixture f, int count, LongUnaryOperator keys)
      throws IOException {
    try (VectorSchemaRoot rows = Rows.root(f.allocator, Rows.KEY_ALONE, 0, count)) {
      BigIntVector ids = (BigIntVector) rows.getVector(0);
      for (int i = 0; i < count; i++) {
        ids.set(i, keys.applyAsLong(i));
      }
      RowBatch batch = new RowBatch(BlockKind.UPSERT, rows, null);
      FrameEncoder.Frame frame =
          new FrameEncoder().encode(Rows.KEY_ALONE.columns(), List.of(batch), false);
      ByteBuffer bytes = ByteBuffer.allocate(frame.length());
      frame.chunks().forEach(bytes::put);
      try (FrameRows seen =
          FrameDecoder.decode(bytes.array(), 0, frame.length(), frame.rawLength(), f.allocator)) {
        assertThat(VectorEqualsVisitor.vectorEquals(seen.roots().get(0).getVector(0), ids))
            .isTrue();
      }
      return frame;
    }
  }

  /// Closes the batches.
  private static List<String> encodedAndDecoded(
      FrameEncoder encoder, List<RowBatch> batches, BufferAllocator allocator) throws IOException {
    FrameEncoder.Frame frame = encoder.encode(Rows.KEYED.columns(), batches, false);
    batches.forEach(RowBatch::close);
    ByteBuffer bytes = ByteBuffer.allocate(frame.length());
    frame.chunks().forEach(bytes::put);
    assertThat(bytes.hasRemaining()).isFalse();
    List<String> seen = new ArrayList<>();
    try (FrameRows rows =
        FrameDecoder.decode(bytes.array(), 0, frame.length(), frame.rawLength(), allocator)) {
      for (VectorSchemaRoot root : rows.roots()) {
        for (int i = 0; i < root.getRowCount(); i++) {
          seen.add(root.getVector(0).getObject(i) + "=" + root.getVector(1).getObject(i));
        }
      }
    }
    return seen;
  }

  @Test
  void aKeyInsideAStructTakesTheWholeStructIntoTheKeyPart() {
    Types.NestedField struct =
        Types.NestedField.required(
            1,
            "s",
            Types.StructType.of(
                Types.NestedField.required(2, "k", Types.LongType.get()),
                Types.NestedField.optional(3, "x", Types.StringType.get())));
    Types.NestedField other = Types.NestedField.optional(4, "y", Types.StringType.get());
    Schema schema = new Schema(List.of(other, struct), Set.of(2));
    BlockHeader header = new BlockHeader(Rows.table(1), "t", 0, 4, schema, BlockKind.UPSERT);

    assertThat(header.keyColumns()).containsExactly(struct);
    assertThat(header.restColumns()).containsExactly(other);
    assertThat(FooterCodec.decode(FooterCodec.encode(header), BlockKind.UPSERT)).isEqualTo(header);
  }

  @Test
  void columnsOtherThanTheHeadersAreAProgrammersError() {
    try (LogFixture f = new LogFixture();
        VectorSchemaRoot rows = Rows.root(f.allocator, Rows.KEY_ALONE, 0, 2)) {
      RowBatch batch = new RowBatch(BlockKind.UPSERT, rows, null);
      AppendBatch wrong = AppendBatch.ofRows(Rows.header(1, BlockKind.UPSERT), null, batch);

      assertThatThrownBy(() -> f.writer().append(List.of(wrong)))
          .isInstanceOf(IllegalArgumentException.class);
      for (FieldVector vector : rows.getFieldVectors()) {
        assertThat(vector.getValueCount()).isEqualTo(2);
      }
    }
  }
}
