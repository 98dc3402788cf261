package io.icewal.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParquetColumnWriterTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void allocatorIsEmpty() {
    allocator.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void randomNestedRowsAreReadByIcebergAsWritten(long seed) throws IOException {
    RandomRows random = new RandomRows(seed);
    Schema schema = random.schema(8, 4);
    List<Record> records = random.records(schema, 500);

    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f.parquet");
    write(
        out,
        schema,
        records,
        WriterSettings.unsorted(MetricsConfig.getDefault()).withSizes(20_000, 500));

    assertThat(ArrowRecords.plain(readByIceberg(out.toInputFile(), schema)))
        .isEqualTo(ArrowRecords.plain(records));
  }

  @Test
  void metricsEqualThoseOfIcebergsWriter() throws IOException {
    List<NestedField> fields = new ArrayList<>();
    for (int i = 0; i < RandomRows.PRIMITIVES.size(); i++) {
      fields.add(NestedField.optional(i + 1, "c" + i, RandomRows.PRIMITIVES.get(i)));
    }
    fields.add(NestedField.optional(90, "l", Types.ListType.ofOptional(91, Types.LongType.get())));
    fields.add(
        NestedField.optional(
            92, "s", Types.StructType.of(NestedField.optional(93, "n", Types.LongType.get()))));
    Schema schema = new Schema(fields);
    List<Record> records = new RandomRows(77).records(schema, 3000);
    MetricsConfig config =
        MetricsConfig.fromProperties(
            Map.of(
                "write.metadata.metrics.column.c0", "counts",
                "write.metadata.metrics.column.c14", "truncate(3)",
                "write.metadata.metrics.column.c17", "full"));

    Metrics ours =
        write(
                new InMemoryOutputFile("memory:/ours"),
                schema,
                records,
                WriterSettings.unsorted(config).withSizes(30_000, 900))
            .metrics();
    Metrics theirs = icebergMetrics(schema, records, config);

    assertThat(ours.recordCount()).isEqualTo(theirs.recordCount());
    assertThat(ours.valueCounts()).isEqualTo(theirs.valueCounts());
    assertThat(ours.nullValueCounts()).isEqualTo(theirs.nullValueCounts());
    assertThat(ours.nanValueCounts()).isEqualTo(theirs.nanValueCounts());
    assertThat(ours.lowerBounds()).isEqualTo(withoutUuids(theirs.lowerBounds(), schema));
    assertThat(ours.upperBounds()).isEqualTo(withoutUuids(theirs.upperBounds(), schema));
    assertThat(ours.columnSizes().keySet()).isEqualTo(theirs.columnSizes().keySet());
  }

  /// b110: the footer has other names for such columns.
  @Test
  void b110_metricsModesCountForColumnsOfAnyName() {
    Schema schema =
        new Schema(
            NestedField.required(1, "a.b", Types.StringType.get()),
            NestedField.required(2, "sp ace", Types.StringType.get()),
            NestedField.required(3, "1abc", Types.StringType.get()),
            NestedField.required(4, "日本", Types.StringType.get()),
            NestedField.required(5, "plain", Types.StringType.get()),
            NestedField.required(
                6,
                "s.t",
                Types.StructType.of(NestedField.required(7, "$x", Types.LongType.get()))));
    GenericRecord record = GenericRecord.create(schema);
    for (int i = 0; i < 5; i++) {
      record.set(i, "a text of more than sixteen characters");
    }
    GenericRecord struct = GenericRecord.create(schema.findType("s.t").asStructType());
    struct.set(0, 7L);
    record.set(5, struct);
    String prefix = "write.metadata.metrics.column.";
    Map<String, String> modes =
        Map.of(
            prefix + "a.b", "full",
            prefix + "sp ace", "none",
            prefix + "1abc", "counts",
            prefix + "日本", "truncate(2)",
            prefix + "s.t.$x", "none");

    Metrics metrics =
        write(
                new InMemoryOutputFile("memory:/f"),
                schema,
                List.of(record),
                WriterSettings.unsorted(MetricsConfig.from(modes, schema, null)))
            .metrics();

    assertThat(metrics.upperBounds().get(1).remaining()).isEqualTo(38);
    assertThat(metrics.valueCounts()).containsOnlyKeys(1, 3, 4, 5);
    assertThat(metrics.lowerBounds()).containsOnlyKeys(1, 4, 5);
    assertThat(metrics.lowerBounds().get(4).remaining()).isEqualTo(2);
    assertThat(metrics.lowerBounds().get(5).remaining()).isEqualTo(16);
  }

  /// Theirs are wrong for values of both signs.
  private static Map<Integer, ByteBuffer> withoutUuids(
      Map<Integer, ByteBuffer> bounds, Schema schema) {
    Map<Integer, ByteBuffer> others = new HashMap<>(bounds);
    others.keySet().removeIf(id -> schema.findType(id).typeId() == Type.TypeID.UUID);
    return others;
  }

  private static Metrics icebergMetrics(Schema schema, List<Record> records, MetricsConfig config)
      throws IOException {
    FileAppender<Record> appender =
        Parquet.write(new InMemoryOutputFile("memory:/theirs"))
            .schema(schema)
            .createWriterFunc(GenericParquetWriter::create)
            .metricsConfig(config)
            .build();
    try (appender) {
      records.forEach(appender::add);
    }
    return appender.metrics();
  }

  @Test
  void boundsAndPagesOfFloatsHoldWithNanAndBothZeros() throws IOException {
    Schema schema =
        new Schema(
            NestedField.optional(1, "nans", Types.DoubleType.get()),
            NestedField.optional(2, "zeros", Types.DoubleType.get()));
    List<Record> records = new ArrayList<>();
    double[][] values = {{Double.NaN, 0.0}, {1.5, -0.0}, {-2.5, 0.0}};
    for (double[] value : values) {
      Record record = GenericRecord.create(schema);
      record.set(0, value[0]);
      record.set(1, value[1]);
      records.add(record);
    }
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    Metrics metrics =
        write(out, schema, records, WriterSettings.unsorted(MetricsConfig.getDefault())).metrics();

    assertThat(metrics.nanValueCounts()).containsEntry(1, 1L).containsEntry(2, 0L);
    assertThat(metrics.lowerBounds().get(1)).isEqualTo(bound(-2.5));
    assertThat(metrics.upperBounds().get(1)).isEqualTo(bound(1.5));
    assertThat(metrics.lowerBounds().get(2)).isEqualTo(bound(-0.0));
    assertThat(metrics.upperBounds().get(2)).isEqualTo(bound(0.0));
    try (ParquetFileReader file = open(out)) {
      BlockMetaData block = file.getRowGroups().get(0);
      assertThat(block.getColumns().get(0).getStatistics().hasNonNullValue()).isFalse();
      assertThat(file.readColumnIndex(block.getColumns().get(0))).isNull();
      assertThat(file.readColumnIndex(block.getColumns().get(1)).getMinValues().get(0))
          .isEqualTo(bound(-0.0));
    }
  }

  private static ByteBuffer bound(double value) {
    return Conversions.toByteBuffer(Types.DoubleType.get(), value);
  }

  private static ParquetFileReader open(InMemoryOutputFile out) throws IOException {
    return ParquetFileReader.open(
        IcebergFiles.input(out.toInputFile()), IcebergFiles.readOptions());
  }

  @Test
  void keyColumnsArePlainWithPagesThatEndAtTheSameRows() throws IOException {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "a", Types.StringType.get()),
                NestedField.required(2, "b", Types.LongType.get()),
                NestedField.optional(3, "v", Types.StringType.get()),
                MetadataColumns.ROW_ID),
            Set.of(1, 2));
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    write(
        out,
        schema,
        new RandomRows(4).records(schema, 3001),
        WriterSettings.sorted(MetricsConfig.getDefault(), List.of(1, 2)));

    try (ParquetFileReader file = open(out)) {
      Map<String, String> entries = file.getFileMetaData().getKeyValueMetaData();
      assertThat(entries).containsEntry("icewal.sorted-by", "1,2");
      assertThat(SchemaParser.fromJson(entries.get("iceberg.schema")).asStruct())
          .isEqualTo(schema.asStruct());
      List<ColumnChunkMetaData> chunks = file.getRowGroups().get(0).getColumns();
      for (int i : new int[] {0, 1, 3}) {
        assertThat(chunks.get(i).hasDictionaryPage()).isFalse();
        OffsetIndex pages = file.readOffsetIndex(chunks.get(i));
        for (int page = 0; page < pages.getPageCount(); page++) {
          assertThat(pages.getFirstRowIndex(page))
              .isEqualTo((long) page * WriteTree.SEARCHABLE_PAGE_ROWS);
        }
      }
      assertThat(chunks.get(2).hasDictionaryPage()).isFalse();
    }
  }

  @Test
  void aColumnThatRepeatsGetsADictionaryUntilItStopsToPay() throws IOException {
    Schema schema =
        new Schema(
            NestedField.required(1, "s", Types.StringType.get()),
            NestedField.required(2, "n", Types.LongType.get()));
    List<Record> records = new ArrayList<>();
    for (int i = 0; i < 120_000; i++) {
      Record record = GenericRecord.create(schema);
      boolean repeats = i < 60_000;
      record.set(0, repeats ? "category-" + i % 100 : "distinct value number " + i);
      record.set(1, repeats ? i % 100L : i * 1_000_003L);
      records.add(record);
    }
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    write(out, schema, records, WriterSettings.unsorted(MetricsConfig.getDefault()));

    try (ParquetFileReader file = open(out)) {
      for (ColumnChunkMetaData chunk : file.getRowGroups().get(0).getColumns()) {
        assertThat(chunk.getEncodingStats().hasDictionaryEncodedPages()).isTrue();
      }
      assertThat(
              file.getRowGroups()
                  .get(0)
                  .getColumns()
                  .get(0)
                  .getEncodingStats()
                  .hasNonDictionaryEncodedPages())
          .isTrue();
    }
    assertThat(ArrowRecords.plain(readByIceberg(out.toInputFile(), schema)))
        .isEqualTo(ArrowRecords.plain(records));
  }

  @Test
  void b068_aColumnThatIsNullForManyPagesIsReadable() throws IOException {
    Schema schema =
        new Schema(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.optional(2, "s", Types.StringType.get()));
    List<Record> records = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Record record = GenericRecord.create(schema);
      record.set(0, (long) i);
      record.set(1, i < 10_000 ? null : "v" + i);
      records.add(record);
    }
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    write(
        out,
        schema,
        records,
        WriterSettings.unsorted(MetricsConfig.getDefault()).withSizes(128 << 20, 4000));

    assertThat(ArrowRecords.plain(readByIceberg(out.toInputFile(), schema)))
        .isEqualTo(ArrowRecords.plain(records));
  }

  @Test
  void b061_stringBoundsAreThoseOfTheirBytes() {
    Schema schema = new Schema(NestedField.required(1, "s", Types.StringType.get()));
    List<Record> records = new ArrayList<>();
    for (String value : List.of("\uFFFD", "\uD83D\uDE00", "b", "")) {
      Record record = GenericRecord.create(schema);
      record.set(0, value);
      records.add(record);
    }
    Metrics metrics =
        write(
                new InMemoryOutputFile("memory:/f"),
                schema,
                records,
                WriterSettings.unsorted(MetricsConfig.getDefault()))
            .metrics();

    assertThat(metrics.lowerBounds().get(1).remaining()).isZero();
    assertThat(metrics.upperBounds().get(1))
        .isEqualTo(ByteBuffer.wrap("\uD83D\uDE00".getBytes(StandardCharsets.UTF_8)));
  }

  /// b055: Iceberg orders UUIDs as signed numbers, Parquet as unsigned bytes. A file has bounds
  /// where both are the same, over all of its row groups.
  @Test
  void b055_uuidBoundsAreThoseOfEveryOrderOrNone() {
    Schema schema = new Schema(NestedField.optional(1, "u", Types.UUIDType.get()));

    assertThat(uuidBounds(schema, 0x00, 0x7f, 0x80, 0xff)).isEqualTo("none");
    assertThat(uuidBounds(schema, 0x81, 0x90, 0xff, 0x80)).isEqualTo("80 ff");
    assertThat(uuidBounds(schema, 0x70, 0x00, 0x7f)).isEqualTo("00 7f");
  }

  /// Each value in a row group of its own.
  private String uuidBounds(Schema schema, int... firstBytes) {
    WriterSettings settings =
        WriterSettings.unsorted(MetricsConfig.getDefault()).withSizes(1, 1 << 20);
    try (ParquetColumnWriter writer =
        new ParquetColumnWriter(new InMemoryOutputFile("memory:/f"), schema, settings)) {
      for (int first : firstBytes) {
        Record record = GenericRecord.create(schema);
        record.set(0, new UUID((long) first << 56, 1));
        List<Record> records = List.of(record, GenericRecord.create(schema));
        try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator)) {
          writer.write(rows);
        }
      }
      WrittenFile written = writer.finish();
      assertThat(written.splitOffsets()).hasSize(firstBytes.length);
      assertThat(written.metrics().nullValueCounts().get(1)).isEqualTo(firstBytes.length);
      ByteBuffer lower = written.metrics().lowerBounds().get(1);
      ByteBuffer upper = written.metrics().upperBounds().get(1);
      return lower == null && upper == null
          ? "none"
          : String.format("%02x %02x", lower.get(0), upper.get(0));
    }
  }

  @Test
  void b217_rowGroupsAndPagesOfHugeRowsAreBoundedByBytes() throws IOException {
    Schema schema =
        new Schema(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.required(2, "blob", Types.BinaryType.get()));
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    WriterSettings settings =
        WriterSettings.unsorted(MetricsConfig.getDefault()).withSizes(16 << 20, 1 << 20);
    Random random = new Random(1);
    WrittenFile written;
    try (ParquetColumnWriter writer = new ParquetColumnWriter(out, schema, settings)) {
      for (int batch = 0; batch < 10; batch++) {
        List<Record> records = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          byte[] blob = new byte[2 << 20];
          random.nextBytes(blob);
          Record record = GenericRecord.create(schema);
          record.set(0, (long) batch);
          record.set(1, ByteBuffer.wrap(blob));
          records.add(record);
        }
        try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator)) {
          writer.write(rows);
        }
        assertThat(writer.bytes()).isGreaterThanOrEqualTo((batch + 1) * (10L << 20));
      }
      written = writer.finish();
    }

    assertThat(written.splitOffsets()).hasSizeBetween(5, 8);
    assertThat(written.fileBytes()).isEqualTo(out.toInputFile().getLength());
    try (ParquetFileReader file = open(out)) {
      assertThat(file.getRowGroups())
          .allSatisfy(
              block -> assertThat(block.getTotalByteSize()).isLessThan((16L << 20) + (9L << 20)));
      assertThat(
              file.readOffsetIndex(file.getRowGroups().get(0).getColumns().get(1)).getPageCount())
          .isGreaterThanOrEqualTo(8);
    }
  }

  @Test
  void aNullInARequiredColumnIsRefused() {
    Schema optional = new Schema(NestedField.optional(1, "v", Types.LongType.get()));
    Schema required = new Schema(NestedField.required(1, "v", Types.LongType.get()));
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    try (VectorSchemaRoot rows =
            ArrowRecords.toArrow(optional, List.of(GenericRecord.create(optional)), allocator);
        ParquetColumnWriter writer =
            new ParquetColumnWriter(
                out, required, WriterSettings.unsorted(MetricsConfig.getDefault()))) {
      assertThatThrownBy(() -> writer.write(rows))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
          .hasMessageContaining("v");
    }
  }

  @Test
  void absentAndUnknownColumnsAreNull() throws IOException {
    Schema sent = new Schema(NestedField.required(1, "id", Types.LongType.get()));
    Schema stored =
        new Schema(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.optional(2, "s", Types.StringType.get()),
            NestedField.optional(3, "u", Types.UnknownType.get()),
            NestedField.optional(
                4,
                "l",
                Types.ListType.ofRequired(
                    5, Types.StructType.of(NestedField.required(6, "x", Types.LongType.get())))));
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    try (VectorSchemaRoot rows =
            ArrowRecords.toArrow(sent, new RandomRows(1).records(sent, 50), allocator);
        ParquetColumnWriter writer =
            new ParquetColumnWriter(
                out, stored, WriterSettings.unsorted(MetricsConfig.getDefault()))) {
      writer.write(rows);
      writer.finish();
    }

    assertThat(readByIceberg(out.toInputFile(), stored))
        .hasSize(50)
        .allSatisfy(
            record -> {
              assertThat(record.get(0)).isNotNull();
              assertThat(record.get(1)).isNull();
              assertThat(record.get(2)).isNull();
              assertThat(record.get(3)).isNull();
            });
  }

  private WrittenFile write(
      InMemoryOutputFile out, Schema schema, List<Record> records, WriterSettings settings) {
    try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator);
        ParquetColumnWriter writer = new ParquetColumnWriter(out, schema, settings)) {
      int half = records.size() / 2;
      writer.write(rows, 0, half);
      writer.write(rows, half, records.size());
      return writer.finish();
    }
  }

  private static List<Record> readByIceberg(InputFile in, Schema schema) throws IOException {
    List<Record> records = new ArrayList<>();
    try (CloseableIterable<Record> read =
        Parquet.read(in)
            .project(schema)
            .createReaderFunc(type -> GenericParquetReaders.buildReader(schema, type))
            .build()) {
      read.forEach(records::add);
    }
    return records;
  }
}
