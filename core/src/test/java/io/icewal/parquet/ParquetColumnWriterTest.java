package io.icewal.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.parquet.Parquet;
import org.junit.jupiter.api.AfterEach;
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
