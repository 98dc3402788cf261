package io.icewal.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.MappedField;
import org.apache.iceberg.mapping.MappedFields;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParquetColumnReaderTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void allocatorIsEmpty() {
    allocator.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void randomNestedRowsAreReadAsWrittenByUs(long seed) {
    RandomRows random = new RandomRows(seed);
    Schema schema = random.schema(8, 4);
    List<Record> records = random.records(schema, 500);
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f.parquet");
    try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator);
        ParquetColumnWriter writer =
            new ParquetColumnWriter(
                out,
                schema,
                WriterSettings.unsorted(MetricsConfig.getDefault()).withSizes(20_000, 500))) {
      writer.write(rows);
      writer.finish();
    }

    assertThat(read(out.toInputFile(), schema, ReadContext.plain().withBatchRows(37)))
        .isEqualTo(ArrowRecords.plain(records));
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24, 25, 26, 27, 28})
  void randomNestedRowsAreReadAsWrittenByIceberg(long seed) throws IOException {
    RandomRows random = new RandomRows(seed);
    Schema schema = random.schema(8, 4);
    List<Record> records = random.records(schema, 500);
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f.parquet");
    writeByIceberg(out, schema, records, seed % 2 == 0 ? "v1" : "v2");

    assertThat(read(out.toInputFile(), schema, ReadContext.plain().withBatchRows(41)))
        .isEqualTo(ArrowRecords.plain(records));
  }

  private InMemoryOutputFile write(
      Schema schema, List<Record> records, List<Integer> sortedBy, int rowGroupBytes) {
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f.parquet");
    WriterSettings settings =
        WriterSettings.sorted(MetricsConfig.getDefault(), sortedBy).withSizes(rowGroupBytes, 1000);
    try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator);
        ParquetColumnWriter writer = new ParquetColumnWriter(out, schema, settings)) {
      for (int from = 0; from < records.size(); from += 100) {
        writer.write(rows, from, Math.min(records.size(), from + 100));
      }
      writer.finish();
    }
    return out;
  }

  // b217: a file of some kilobytes whose rows take gigabytes.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void b217_batchesOfRowsThatShareLargeValuesStaySmall(boolean selected) {
    Schema schema = new Schema(NestedField.optional(1, "s", Types.StringType.get()));
    int count = 8192;
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f.parquet");
    try (VarCharVector one =
            (VarCharVector) ArrowSchemas.toArrow(schema.findField(1)).createVector(allocator);
        ParquetColumnWriter writer =
            new ParquetColumnWriter(
                out, schema, WriterSettings.unsorted(MetricsConfig.getDefault()))) {
      byte[] value = "x".repeat(200_000).getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 64; i++) {
        one.setSafe(i, value);
      }
      one.setValueCount(64);
      VectorSchemaRoot rows = new VectorSchemaRoot(List.of(one.getField()), List.of(one), 64);
      for (int written = 0; written < count; written += 64) {
        writer.write(rows);
      }
      writer.finish();
    }
    ReadContext context =
        selected
            ? ReadContext.plain().withRows(LongStream.range(0, count).toArray())
            : ReadContext.plain();

    long next = 0;
    long most = 0;
    try (ParquetColumnReader reader =
        ParquetColumnReader.open(out.toInputFile(), schema, context, allocator)) {
      for (VectorSchemaRoot batch = reader.next(); batch != null; batch = reader.next()) {
        assertThat(reader.firstRow()).isEqualTo(next);
        assertThat(reader.row(batch.getRowCount() - 1)).isEqualTo(next + batch.getRowCount() - 1);
        next += batch.getRowCount();
        most = Math.max(most, batch.getVector(0).getBufferSize());
      }
    }
    assertThat(next).isEqualTo(count);
    assertThat(most).isLessThan(64L << 20);
  }

  @Test
  void b086_columnsAndNestedFieldsFollowFieldIdsAndPromotions() {
    Schema old =
        new Schema(
            NestedField.required(1, "i", Types.IntegerType.get()),
            NestedField.optional(2, "f", Types.FloatType.get()),
            NestedField.optional(3, "d", Types.DecimalType.of(9, 2)),
            NestedField.optional(4, "day", Types.DateType.get()),
            NestedField.optional(5, "dropped", Types.StringType.get()),
            NestedField.optional(
                6,
                "l",
                Types.ListType.ofOptional(
                    7,
                    Types.StructType.of(
                        NestedField.optional(8, "x", Types.IntegerType.get()),
                        NestedField.optional(9, "y", Types.IntegerType.get())))));
    Schema now =
        new Schema(
            NestedField.optional(
                6,
                "list",
                Types.ListType.ofOptional(
                    7,
                    Types.StructType.of(
                        NestedField.optional(9, "yy", Types.LongType.get()),
                        added(20, "z", Types.StringType.get(), Literal.of("new")),
                        NestedField.optional(8, "x", Types.IntegerType.get())))),
            NestedField.optional(4, "day", Types.TimestampType.withoutZone()),
            NestedField.optional(3, "d", Types.DecimalType.of(38, 2)),
            NestedField.optional(2, "f", Types.DoubleType.get()),
            NestedField.required(1, "i", Types.LongType.get()),
            added(21, "dropped", Types.StringType.get(), null),
            added(22, "five", Types.IntegerType.get(), Literal.of(5)));
    List<Record> records = new RandomRows(3).records(old, 300);
    InMemoryOutputFile out = write(old, records, List.of(), 1 << 20);

    List<Object> read = read(out.toInputFile(), now, ReadContext.plain());

    try (VectorSchemaRoot rows = ArrowRecords.toArrow(old, records, allocator);
        VectorSchemaRoot promoted = ArrowRows.promote(rows, old, 10, now, allocator)) {
      assertThat(read).isEqualTo(ArrowRecords.plain(ArrowRecords.toRecords(now, promoted)));
    }
  }

  private static NestedField added(
      int id, String name, Type type, @Nullable Literal<?> initialDefault) {
    NestedField.Builder builder = NestedField.optional(name).withId(id).ofType(type);
    return initialDefault == null
        ? builder.build()
        : builder.withInitialDefault(initialDefault).build();
  }

  @Test
  void aStructOfWhichOnlyNewFieldsAreWantedStaysNullWhereItWas() {
    Schema old =
        new Schema(
            NestedField.optional(
                1,
                "s",
                Types.StructType.of(
                    NestedField.optional(
                        2, "l", Types.ListType.ofOptional(3, Types.LongType.get())))));
    Schema now =
        new Schema(
            NestedField.optional(
                1,
                "s",
                Types.StructType.of(added(9, "n", Types.IntegerType.get(), Literal.of(4)))));
    List<Record> records = new RandomRows(3).records(old, 200);
    InMemoryOutputFile out = write(old, records, List.of(), 1 << 20);

    List<Record> read = new ArrayList<>();
    try (ParquetColumnReader reader =
        ParquetColumnReader.open(out.toInputFile(), now, ReadContext.plain(), allocator)) {
      for (VectorSchemaRoot rows = reader.next(); rows != null; rows = reader.next()) {
        read.addAll(ArrowRecords.toRecords(now, rows));
      }
    }
    for (int i = 0; i < records.size(); i++) {
      assertThat(read.get(i).get(0) == null).isEqualTo(records.get(i).get(0) == null);
      if (read.get(i).get(0) instanceof Record struct) {
        assertThat(struct.get(0)).isEqualTo(4);
      }
    }
  }

  @Test
  void b070_aFileWithoutFieldIdsIsReadByItsNameMapping() throws IOException {
    Schema schema =
        new Schema(
            NestedField.optional(5, "id", Types.LongType.get()),
            NestedField.optional(6, "tags", Types.ListType.ofOptional(7, Types.StringType.get())));
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f.parquet");
    MessageType type =
        MessageTypeParser.parseMessageType(
            "message t { optional int64 ID; optional group tags (LIST) {"
                + " repeated group bag { optional binary array_element (STRING); } } }");
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(IcebergFiles.output(out)).withType(type).build()) {
      for (int i = 0; i < 10; i++) {
        Group group = new SimpleGroup(type);
        group.add("ID", (long) i);
        group.addGroup("tags").addGroup("bag").append("array_element", "t" + i);
        writer.write(group);
      }
    }
    NameMapping mapping =
        NameMapping.of(
            MappedField.of(5, List.of("id", "ID")),
            MappedField.of(
                6,
                "tags",
                MappedFields.of(MappedField.of(7, List.of("element", "array_element")))));
    ReadContext context =
        new ReadContext(mapping, Map.of(), null, null, 0, Long.MAX_VALUE, null, 100);

    List<Object> read = read(out.toInputFile(), schema, context);

    assertThat(read).hasSize(10);
    assertThat(read.get(3)).isEqualTo(Map.of(5, 3L, 6, List.of("t3")));
  }

  @Test
  void b035_b049_rowNumbersHoldWhenRowGroupsAreSkipped() throws IOException {
    Schema schema = new Schema(NestedField.required(1, "id", Types.LongType.get()));
    Schema projection =
        new Schema(
            NestedField.required(1, "id", Types.LongType.get()),
            MetadataColumns.ROW_POSITION,
            MetadataColumns.ROW_ID,
            MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER,
            MetadataColumns.FILE_PATH,
            MetadataColumns.SPEC_ID);
    List<Record> records = new ArrayList<>();
    for (long i = 0; i < 1000; i++) {
      Record record = GenericRecord.create(schema);
      record.set(0, i);
      records.add(record);
    }
    InMemoryOutputFile out = write(schema, records, List.of(), 300);
    Map<Integer, @Nullable Object> constants =
        Map.of(
            MetadataColumns.FILE_PATH.fieldId(), "memory:/f", MetadataColumns.SPEC_ID.fieldId(), 3);
    long length = out.toInputFile().getLength();
    ReadContext whole = new ReadContext(null, constants, 5000L, 12L, 0, Long.MAX_VALUE, null, 100);

    List<Object> parts = new ArrayList<>();
    for (long start = 0; start < length; start += 333) {
      parts.addAll(read(out.toInputFile(), projection, whole.withSplit(start, 333)));
    }

    assertThat(parts).isEqualTo(read(out.toInputFile(), projection, whole)).hasSize(1000);
    assertThat(read(out.toInputFile(), projection, whole.withSplit(secondGroup(out), length)))
        .hasSizeBetween(1, 999)
        .allSatisfy(
            row -> {
              Map<?, ?> values = (Map<?, ?>) row;
              long id = (Long) values.get(1);
              assertThat(values.get(MetadataColumns.ROW_POSITION.fieldId())).isEqualTo(id);
              assertThat(values.get(MetadataColumns.ROW_ID.fieldId())).isEqualTo(5000 + id);
              assertThat(values.get(MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER.fieldId()))
                  .isEqualTo(12L);
              assertThat(values.get(MetadataColumns.FILE_PATH.fieldId())).isEqualTo("memory:/f");
              assertThat(values.get(MetadataColumns.SPEC_ID.fieldId())).isEqualTo(3);
            });
  }

  private static long secondGroup(InMemoryOutputFile out) throws IOException {
    try (ParquetFileReader file =
        ParquetFileReader.open(IcebergFiles.input(out.toInputFile()), IcebergFiles.readOptions())) {
      return file.getRowGroups().get(1).getStartingPos();
    }
  }

  @Test
  void storedLineageWinsOverTheInheritedOne() {
    Schema schema =
        new Schema(
            NestedField.required(1, "id", Types.LongType.get()),
            MetadataColumns.ROW_ID,
            MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER);
    List<Record> records = new ArrayList<>();
    for (long i = 0; i < 4; i++) {
      Record record = GenericRecord.create(schema);
      record.set(0, i);
      record.set(1, i % 2 == 0 ? null : 77 + i);
      record.set(2, i < 2 ? null : 9L);
      records.add(record);
    }
    InMemoryOutputFile out = write(schema, records, List.of(1), 1 << 20);
    ReadContext context = new ReadContext(null, Map.of(), 100L, 5L, 0, Long.MAX_VALUE, null, 100);

    List<Object> lineage = new ArrayList<>();
    for (Object row : read(out.toInputFile(), schema, context)) {
      Map<?, ?> values = (Map<?, ?>) row;
      lineage.add(values.get(MetadataColumns.ROW_ID.fieldId()));
      lineage.add(values.get(MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER.fieldId()));
    }
    assertThat(lineage).containsExactly(100L, 5L, 78L, 5L, 102L, 9L, 80L, 9L);
  }

  @ParameterizedTest
  @ValueSource(longs = {31, 32, 33, 34, 35, 36})
  void chosenRowsAreThoseOfTheWholeFile(long seed) throws IOException {
    RandomRows random = new RandomRows(seed);
    Schema schema = random.schema(6, 3);
    List<Record> records = random.records(schema, 1500);
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f.parquet");
    if (seed % 2 == 0) {
      out = write(schema, records, List.of(), 20_000);
    } else {
      writeByIceberg(out, schema, records, "v2");
    }
    Random choice = new Random(seed);
    long[] rows = choice.longs(0, 1500).limit(200).distinct().sorted().toArray();
    List<Record> expected = new ArrayList<>();
    for (long row : rows) {
      expected.add(records.get((int) row));
    }

    ReadContext context = ReadContext.plain().withRows(rows).withBatchRows(30);
    assertThat(read(out.toInputFile(), schema, context)).isEqualTo(ArrowRecords.plain(expected));
    List<Long> numbers = new ArrayList<>();
    try (ParquetColumnReader reader =
        ParquetColumnReader.open(out.toInputFile(), schema, context, allocator)) {
      for (VectorSchemaRoot batch = reader.next(); batch != null; batch = reader.next()) {
        for (int i = 0; i < batch.getRowCount(); i++) {
          numbers.add(reader.row(i));
        }
      }
    }
    assertThat(numbers).containsExactlyElementsOf(Arrays.stream(rows).boxed().toList());
  }

  @Test
  void aDamagedFileIsCorruptNotShort() {
    Schema schema = new Schema(NestedField.required(1, "id", Types.LongType.get()));
    List<Record> records = new RandomRows(1).records(schema, 1000);
    byte[] bytes = write(schema, records, List.of(), 1 << 20).toByteArray();
    for (int cut : new int[] {0, 3, 100, bytes.length - 5}) {
      InMemoryInputFile in = new InMemoryInputFile("memory:/cut", Arrays.copyOf(bytes, cut));
      assertThatThrownBy(() -> read(in, schema, ReadContext.plain()))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CORRUPT))
          .hasMessageContaining("memory:/cut");
    }
  }

  private static void writeByIceberg(
      InMemoryOutputFile out, Schema schema, List<Record> records, String version)
      throws IOException {
    FileAppender<Record> appender =
        Parquet.write(out)
            .schema(schema)
            .createWriterFunc(GenericParquetWriter::create)
            .setAll(
                Map.of(
                    "write.parquet.page-version", version,
                    "write.parquet.page-size-bytes", "1000",
                    "write.parquet.row-group-size-bytes", "30000",
                    "write.parquet.row-group-check-min-record-count", "10",
                    "write.parquet.compression-codec", "v1".equals(version) ? "gzip" : "zstd"))
            .build();
    try (appender) {
      records.forEach(appender::add);
    }
  }

  private List<Object> read(InputFile in, Schema schema, ReadContext context) {
    List<Record> records = new ArrayList<>();
    try (ParquetColumnReader reader = ParquetColumnReader.open(in, schema, context, allocator)) {
      for (VectorSchemaRoot rows = reader.next(); rows != null; rows = reader.next()) {
        records.addAll(ArrowRecords.toRecords(schema, rows));
      }
    }
    return ArrowRecords.plain(records);
  }
}
