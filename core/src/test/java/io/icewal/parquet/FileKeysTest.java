package io.icewal.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.merge.KeyVector;
import io.icewal.model.ArrowSchemas;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileKeysTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void allocatorIsEmpty() {
    allocator.close();
  }

  static Stream<List<Type>> keyTypes() {
    Stream<List<Type>> single =
        RandomRows.PRIMITIVES.stream()
            .filter(t -> t.typeId() != Type.TypeID.FLOAT && t.typeId() != Type.TypeID.DOUBLE)
            .map(List::of);
    return Stream.concat(
        single,
        Stream.of(
            List.of(Types.BooleanType.get(), Types.LongType.get()),
            List.of(Types.StringType.get(), Types.StringType.get()),
            List.of(Types.IntegerType.get(), Types.StringType.get(), Types.UUIDType.get())));
  }

  @ParameterizedTest
  @MethodSource("keyTypes")
  void everyCopyOfEveryKeyIsFoundInSortedAndUnsortedFiles(List<Type> types) {
    Schema schema = keySchema(types);
    List<Record> records = new RandomRows(types.hashCode()).records(schema, 6000);
    List<Record> wanted = new ArrayList<>(new RandomRows(7).records(schema, 500));
    for (int i = 0; i < records.size(); i += 9) {
      wanted.add(records.get(i));
    }
    Keyed keyed = new Keyed(schema);

    for (boolean sorted : new boolean[] {true, false}) {
      List<Record> rows = sorted ? keyed.sorted(records, false) : records;
      InMemoryOutputFile out = new InMemoryOutputFile("memory:/" + sorted);
      DataFile file = write(out, schema, rows, sorted ? keyed.columns.fieldIds() : List.of());
      List<Record> keys = keyed.sorted(wanted, true);

      check(keyed, out, file, rows, keys, sorted);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void partsThatCoverAFileHaveEachOfItsRowsOnce(boolean sorted) {
    Schema schema = keySchema(List.of(Types.LongType.get(), Types.StringType.get()));
    Keyed keyed = new Keyed(schema);
    List<Record> rows = keyed.sorted(new RandomRows(4).records(schema, 8000), false);
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/parts");
    DataFile file = write(out, schema, rows, sorted ? keyed.columns.fieldIds() : List.of());
    assertThat(file.splitOffsets()).hasSizeGreaterThan(2);
    Random random = new Random(6);
    RowGroups groups;
    try (FileKeys keys =
        FileKeys.open(out.toInputFile(), file, keyed.columns, new KeyPageCache())) {
      groups = keys.rowGroups();
    }

    for (int round = 0; round < 100; round++) {
      long row = 0;
      for (long start = 0; start < file.fileSizeInBytes(); ) {
        long length = 1 + random.nextInt(1 + random.nextInt((int) file.fileSizeInBytes()));
        RowGroups.Rows part = groups.beginningIn(start, length);
        assertThat(part.from()).isEqualTo(row);
        row = part.to();
        start += length;
      }
      assertThat(row).isEqualTo(8000);
    }
    List<Long> offsets = file.splitOffsets();
    for (int i = 0; i < offsets.size(); i++) {
      RowGroups.Rows whole = groups.beginningIn(offsets.get(i), 1);
      assertThat(whole.to() - whole.from()).as("group " + i).isPositive();
    }
  }

  private void check(
      Keyed keyed,
      InMemoryOutputFile out,
      DataFile file,
      List<Record> rows,
      List<Record> keys,
      boolean sorted) {
    KeyVector vector = keyed.encode(keys);
    Map<Object, List<Long>> places = new HashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      places.computeIfAbsent(ArrowRecords.plain(rows.get(i)), k -> new ArrayList<>()).add((long) i);
    }
    List<String> expected = new ArrayList<>();
    for (int i = 3; i < keys.size(); i++) {
      for (long row : places.getOrDefault(ArrowRecords.plain(keys.get(i)), List.of())) {
        expected.add(i + "@" + row);
      }
    }
    KeyPageCache cache = new KeyPageCache();
    for (int round = 0; round < 2; round++) {
      try (FileKeys fileKeys = FileKeys.open(out.toInputFile(), file, keyed.columns, cache)) {
        assertThat(fileKeys.isSearchable()).isEqualTo(sorted);
        FileKeys.Matches matches = fileKeys.find(vector, 3, keys.size());
        List<String> found = new ArrayList<>();
        for (int i = 0; i < matches.count(); i++) {
          found.add(matches.keyIndex()[i] + "@" + matches.row()[i]);
        }
        assertThat(found).isEqualTo(expected);
      }
    }
  }

  private static Schema keySchema(List<Type> types) {
    List<NestedField> fields = new ArrayList<>();
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      fields.add(NestedField.required(i + 1, "k" + i, types.get(i)));
      ids.add(i + 1);
    }
    return new Schema(fields, Set.copyOf(ids));
  }

  private DataFile write(
      InMemoryOutputFile out, Schema schema, List<Record> records, List<Integer> sortedBy) {
    WriterSettings settings =
        WriterSettings.sorted(MetricsConfig.getDefault(), sortedBy).withSizes(20_000, 1 << 20);
    try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator);
        ParquetColumnWriter writer = new ParquetColumnWriter(out, schema, settings)) {
      for (int from = 0; from < records.size(); from += 1000) {
        writer.write(rows, from, Math.min(records.size(), from + 1000));
      }
      return writer.finish().toDataFile(PartitionSpec.unpartitioned(), null);
    }
  }

  /// Key encoding of records.
  private final class Keyed {
    final Schema schema;
    final KeyColumns columns;

    Keyed(Schema schema) {
      this.schema = schema;
      this.columns = KeyColumns.of(schema);
    }

    KeyVector encode(List<Record> records) {
      try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator)) {
        return columns.encode(rows);
      }
    }

    List<Record> sorted(List<Record> records, boolean distinct) {
      Map<Object, Record> byValue = new LinkedHashMap<>();
      records.forEach(record -> byValue.putIfAbsent(ArrowRecords.plain(record), record));
      List<Record> input = distinct ? List.copyOf(byValue.values()) : records;
      List<Record> sorted = new ArrayList<>();
      for (int row : encode(input).sort()) {
        sorted.add(input.get(row));
      }
      return sorted;
    }
  }

  @Test
  void b091_aFileWithNarrowerKeyTypesIsFoundByWiderKeys() {
    Schema old =
        new Schema(
            List.of(
                NestedField.required(1, "i", Types.IntegerType.get()),
                NestedField.required(2, "d", Types.DecimalType.of(9, 2))),
            Set.of(1, 2));
    Schema now =
        new Schema(
            List.of(
                NestedField.required(1, "i", Types.LongType.get()),
                NestedField.required(2, "d", Types.DecimalType.of(38, 2))),
            Set.of(1, 2));
    List<Record> records = new Keyed(old).sorted(new RandomRows(5).records(old, 3000), true);
    List<Record> wanted = new ArrayList<>();
    for (Record record : records) {
      Record wide = GenericRecord.create(now);
      wide.set(0, (long) (Integer) record.get(0));
      wide.set(1, record.get(1));
      wanted.add(wide);
    }
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    DataFile file = write(out, old, records, List.of(1, 2));
    Keyed keyed = new Keyed(now);

    try (FileKeys keys =
        FileKeys.open(out.toInputFile(), file, keyed.columns, new KeyPageCache())) {
      FileKeys.Matches matches = keys.find(keyed.encode(wanted), 0, wanted.size());

      assertThat(keys.isSearchable()).isTrue();
      assertThat(matches.count()).isEqualTo(records.size());
      for (int i = 0; i < matches.count(); i++) {
        assertThat(matches.row()[i]).isEqualTo(matches.keyIndex()[i]);
      }
    }
  }

  // b055
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void b055_uuidBoundsOfSeveralRowGroupsRuleNoKeyOut(boolean ours) throws IOException {
    Schema schema =
        new Schema(List.of(NestedField.required(1, "k", Types.UUIDType.get())), Set.of(1));
    List<Record> records = new ArrayList<>();
    Random random = new Random(9);
    for (int i = 0; i < 4000; i++) {
      // Only within the last row group do keys with their top bit set follow those without it.
      long high = (long) i * 0x0008_0000_0000_0000L | (i < 3950 ? 0 : Long.MIN_VALUE);
      records.add(row(schema, new UUID(high, random.nextLong())));
    }
    Keyed keyed = new Keyed(schema);
    List<Record> sorted = keyed.sorted(records, false);
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    DataFile file =
        ours ? write(out, schema, sorted, List.of(1)) : writeByIceberg(out, schema, sorted);
    KeyVector keys = keyed.encode(sorted);

    KeyRange range = keyed.columns.range(file);

    assertThat(file.splitOffsets()).hasSizeGreaterThan(1);
    assertThat(range.from(keys)).isZero();
    assertThat(range.to(keys)).isEqualTo(keys.size());
    if (ours) {
      assertThat(file.lowerBounds())
          .as("readers differ in the order of these")
          .doesNotContainKey(1);
      assertThat(file.upperBounds()).doesNotContainKey(1);
    }
  }

  private static Record row(Schema schema, Object... values) {
    Record record = GenericRecord.create(schema);
    for (int i = 0; i < values.length; i++) {
      record.set(i, values[i]);
    }
    return record;
  }

  private static DataFile writeByIceberg(
      InMemoryOutputFile out, Schema schema, List<Record> records) throws IOException {
    FileAppender<Record> appender =
        Parquet.write(out)
            .schema(schema)
            .createWriterFunc(type -> GenericParquetWriter.create(schema, type))
            .set("write.parquet.row-group-size-bytes", "20000")
            .set("write.parquet.row-group-check-min-record-count", "100")
            .set("write.parquet.row-group-check-max-record-count", "100")
            .build();
    try (appender) {
      appender.addAll(records);
    }
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(out.location())
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(appender.length())
        .withMetrics(appender.metrics())
        .withSplitOffsets(appender.splitOffsets())
        .build();
  }

  @Test
  void aKeyWhoseColumnsStandInAnotherOrderThanTheirFieldIdsIsSearched() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(3, "b", Types.StringType.get()),
                NestedField.required(1, "a", Types.LongType.get())),
            Set.of(1, 3));
    List<Record> records = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      records.add(row(schema, "b" + i * 7919 % 5000, (long) i / 3));
    }
    Keyed keyed = new Keyed(schema);
    List<Record> sorted = keyed.sorted(records, false);
    InMemoryOutputFile out = new InMemoryOutputFile("memory:/f");
    DataFile file = write(out, schema, sorted, List.of(1, 3));

    check(keyed, out, file, sorted, sorted, true);
  }

  @Test
  void rowIdsAreTheStoredOnesElseFirstRowIdPlusRow() {
    Schema schema =
        new Schema(
            List.of(NestedField.required(1, "k", Types.LongType.get()), MetadataColumns.ROW_ID),
            Set.of(1));
    List<Record> records = new ArrayList<>();
    for (long i = 0; i < 5000; i++) {
      Record record = GenericRecord.create(schema);
      record.set(0, i);
      record.set(1, i % 3 == 0 ? null : 70_000 + i);
      records.add(record);
    }
    long[] rows = {0, 1, 511, 512, 513, 2048, 4999};
    for (List<Integer> sortedBy : List.of(List.of(1), List.<Integer>of())) {
      InMemoryOutputFile out = new InMemoryOutputFile("memory:/f" + sortedBy);
      DataFile file = write(out, schema, records, sortedBy);
      KeyColumns key = KeyColumns.of(schema);

      try (FileKeys keys = FileKeys.open(out.toInputFile(), file, key, new KeyPageCache())) {
        assertThat(keys.rowIds(rows))
            .containsExactly(-1, 70_001, 70_511, 70_512, -1, 72_048, 74_999);
      }
    }
  }

  @Test
  void aThousandRandomKeysReadAFractionOfTwoMillionRows() {
    int files = 20;
    int rowsPerFile = 100_000;
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "k", Types.LongType.get()),
                NestedField.required(2, "v", Types.LongType.get())),
            Set.of(1));
    Random random = new Random(3);
    long[] wanted = random.longs(1000, 0, 2L * files * rowsPerFile).sorted().toArray();
    KeyVector keys = KeyVector.ofPrefixes(flipped(wanted));
    KeyColumns columns = KeyColumns.of(schema);
    long bytes = 0;
    long requests = 0;
    long found = 0;
    for (int f = 0; f < files; f++) {
      InMemoryOutputFile out = new InMemoryOutputFile("memory:/f" + f);
      DataFile file = writeEven(out, schema, f, files, rowsPerFile);
      CountingFile in = new CountingFile(out.toInputFile());
      try (FileKeys fileKeys = FileKeys.open(in, file, columns, new KeyPageCache())) {
        found += fileKeys.find(keys, 0, keys.size()).count();
      }
      bytes += in.bytes;
      requests += in.requests;
    }

    long expected = Arrays.stream(wanted).filter(k -> k % 2 == 0).count();
    assertThat(found).isEqualTo(expected);
    assertThat(requests).isLessThanOrEqualTo(3L * files);
    assertThat(bytes).isLessThan(5_000_000L);
  }

  private static long[] flipped(long[] values) {
    return Arrays.stream(values).map(v -> v ^ Long.MIN_VALUE).toArray();
  }

  private DataFile writeEven(
      InMemoryOutputFile out, Schema schema, int file, int files, int rowCount) {
    WriterSettings settings = WriterSettings.sorted(MetricsConfig.getDefault(), List.of(1));
    try (VectorSchemaRoot rows = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
        ParquetColumnWriter writer = new ParquetColumnWriter(out, schema, settings)) {
      BigIntVector key = (BigIntVector) rows.getVector(0);
      BigIntVector value = (BigIntVector) rows.getVector(1);
      key.allocateNew(rowCount);
      value.allocateNew(rowCount);
      for (int i = 0; i < rowCount; i++) {
        key.set(i, 2L * ((long) i * files + file));
        value.set(i, i);
      }
      rows.setRowCount(rowCount);
      writer.write(rows);
      return writer.finish().toDataFile(PartitionSpec.unpartitioned(), null);
    }
  }
}
