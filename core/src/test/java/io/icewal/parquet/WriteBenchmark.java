package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// Rows per CPU second of one thread: columns against Iceberg's generic records, written and read.
/// Run by hand: `java … io.icewal.parquet.WriteBenchmark [rows] [rounds]`.
public final class WriteBenchmark {
  static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "s1", Types.StringType.get()),
              NestedField.optional(3, "s2", Types.StringType.get()),
              NestedField.optional(4, "s3", Types.StringType.get()),
              NestedField.optional(5, "d1", Types.DoubleType.get()),
              NestedField.optional(6, "d2", Types.DoubleType.get()),
              NestedField.optional(7, "d3", Types.DoubleType.get()),
              NestedField.optional(8, "at", Types.TimestampType.withZone())),
          Set.of(1));
  private static final int BATCH_ROWS = 100_000;

  private WriteBenchmark() {}

  public static void main(String[] args) throws IOException {
    int rows = args.length > 0 ? Integer.parseInt(args[0]) : 2_000_000;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
    Path folder = Files.createTempDirectory("icewal-bench");
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot batch = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      fill(batch);
      for (int round = 0; round < rounds; round++) {
        Path columns = folder.resolve("columns" + round);
        Path records = folder.resolve("records" + round);
        report("write columns", rows, columns, () -> writeColumns(batch, rows, columns));
        report("write records", rows, records, () -> writeRecords(batch, rows, records));
        report("read columns", rows, columns, () -> readColumns(columns, allocator));
        report(
            "read columns (Iceberg's file)", rows, records, () -> readColumns(records, allocator));
        report("read records", rows, columns, () -> readRecords(columns));
      }
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void report(String name, int rows, Path file, Work work) throws IOException {
    long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    work.run();
    double seconds = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start) / 1e9;
    System.out.printf(
        "%-30s %6.2f M rows/cpu-s  %5.1f MB%n", name, rows / seconds / 1e6, Files.size(file) / 1e6);
  }

  static void fill(VectorSchemaRoot batch) {
    Random random = new Random(1);
    batch.getFieldVectors().forEach(vector -> vector.setInitialCapacity(BATCH_ROWS));
    batch.allocateNew();
    for (int row = 0; row < BATCH_ROWS; row++) {
      ((BigIntVector) batch.getVector(0)).setSafe(row, 50L * row + random.nextInt(50));
      string(batch, 1, row, String.format("value-%011d", random.nextLong(100_000_000_000L)));
      string(batch, 2, row, String.format("category-number-%04d", random.nextInt(1000)));
      StringBuilder text = new StringBuilder();
      for (int length = 18 + random.nextInt(5); length > 0; length--) {
        text.append((char) ('a' + random.nextInt(26)));
      }
      string(batch, 3, row, text.toString());
      ((Float8Vector) batch.getVector(4)).setSafe(row, random.nextDouble());
      ((Float8Vector) batch.getVector(5)).setSafe(row, random.nextGaussian() * 1000);
      ((Float8Vector) batch.getVector(6)).setSafe(row, random.nextInt(100) / 4.0);
      ((TimeStampMicroTZVector) batch.getVector(7))
          .setSafe(row, 1_790_000_000_000_000L + 1000L * row + random.nextInt(1000));
    }
    batch.setRowCount(BATCH_ROWS);
  }

  private static void string(VectorSchemaRoot batch, int column, int row, String value) {
    ((VarCharVector) batch.getVector(column)).setSafe(row, value.getBytes(StandardCharsets.UTF_8));
  }

  private static void writeColumns(VectorSchemaRoot batch, int rows, Path file) {
    WriterSettings settings = WriterSettings.sorted(MetricsConfig.getDefault(), List.of(1));
    try (ParquetColumnWriter writer =
        new ParquetColumnWriter(
            org.apache.iceberg.Files.localOutput(file.toFile()), SCHEMA, settings)) {
      for (int done = 0; done < rows; done += BATCH_ROWS) {
        writer.write(batch);
      }
      writer.finish();
    }
  }

  private static void writeRecords(VectorSchemaRoot batch, int rows, Path file) throws IOException {
    try (FileAppender<GenericRecord> appender =
        Parquet.write(org.apache.iceberg.Files.localOutput(file.toFile()))
            .schema(SCHEMA)
            .createWriterFunc(GenericParquetWriter::create)
            .setAll(Map.of("write.parquet.compression-codec", "zstd"))
            .build()) {
      GenericRecord record = GenericRecord.create(SCHEMA);
      for (int done = 0; done < rows; done += BATCH_ROWS) {
        for (int row = 0; row < BATCH_ROWS; row++) {
          record.set(0, ((BigIntVector) batch.getVector(0)).get(row));
          for (int c = 1; c < 4; c++) {
            byte[] bytes = ((VarCharVector) batch.getVector(c)).get(row);
            record.set(c, new String(bytes, StandardCharsets.UTF_8));
          }
          for (int c = 4; c < 7; c++) {
            record.set(c, ((Float8Vector) batch.getVector(c)).get(row));
          }
          long micros = ((TimeStampMicroTZVector) batch.getVector(7)).get(row);
          record.set(
              7,
              Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000)
                  .atOffset(ZoneOffset.UTC));
          appender.add(record);
        }
      }
    }
  }

  private static void readColumns(Path file, BufferAllocator allocator) {
    try (ParquetColumnReader reader =
        ParquetColumnReader.open(
            org.apache.iceberg.Files.localInput(file.toFile()),
            SCHEMA,
            ReadContext.plain(),
            allocator)) {
      while (reader.next() != null) {
        continue;
      }
    }
  }

  private static void readRecords(Path file) throws IOException {
    try (CloseableIterable<Object> records =
        Parquet.read(org.apache.iceberg.Files.localInput(file.toFile()))
            .project(SCHEMA)
            .createReaderFunc(type -> GenericParquetReaders.buildReader(SCHEMA, type))
            .build()) {
      for (Object record : records) {
        if (record == null) {
          throw new IllegalStateException("no record");
        }
      }
    }
  }
}
