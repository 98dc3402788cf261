package io.icewal.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.parquet.Parquet;
import org.junit.jupiter.api.AfterEach;
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
