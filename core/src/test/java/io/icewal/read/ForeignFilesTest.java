package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializeResult;
import io.icewal.table.TestWarehouse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Data and delete files of other engines under a tail of ours.
class ForeignFilesTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get()),
              NestedField.optional(
                  3,
                  "st",
                  Types.StructType.of(
                      NestedField.optional(4, "day", Types.DateType.get()),
                      NestedField.optional(
                          5, "tags", Types.ListType.ofOptional(6, Types.StringType.get())))),
              NestedField.optional(
                  7,
                  "m",
                  Types.MapType.ofOptional(8, 9, Types.StringType.get(), Types.LongType.get()))),
          Set.of(1));

  @TempDir Path folder;
  private FreshFixture fixture;

  @BeforeEach
  void open() {
    fixture = new FreshFixture(folder);
    fixture.create(SCHEMA);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = FileFormat.class,
      names = {"PARQUET", "AVRO", "ORC"})
  void filesOfEveryFormatAreReadAndHidden(FileFormat format) {
    Table table = fixture.table();
    DataFile file = write(table, format, List.of(row(1, "a"), row(2, "b"), row(3, "c")));
    table.newAppend().appendFile(file).commit();
    fixture.upsert(row(2, "new"));
    fixture.delete(List.of(row(3, null)));

    assertThat(fixture.read(FreshFixture.all())).hasSize(2);
    assertThat(fixture.read(FreshFixture.all().withColumns(List.of("id", "v"))))
        .containsExactly("1|a", "2|new");
    assertThat(fixture.read(FreshFixture.all().withColumns(List.of("v")).withWhere("id = 1")))
        .containsExactly("a");
    assertThat(fixture.read("v = 'a'").get(0)).contains("x, null");
    assertThat(fixture.count(null)).isEqualTo(2);
    assertThat(fixture.count("v = 'b'")).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = FileFormat.class,
      names = {"PARQUET", "AVRO", "ORC"})
  void rowsInFilesOfEveryFormatAreReplacedAndContinued(FileFormat format) {
    Table table = fixture.table();
    List<Record> rows = new ArrayList<>();
    for (long id = 0; id < 3000; id++) {
      rows.add(row(2999 - id, "old"));
    }
    table.newAppend().appendFile(write(table, format, rows)).commit();
    for (long id = 10; id < 3000; id += 1000) {
      fixture.upsert(row(id, "new"), row(-1 - id, "more"));
      fixture.delete(List.of(row(id + 1, null)));
      assertThat(fixture.materialize().status()).isEqualTo(MaterializeResult.Status.COMMITTED);
    }

    assertThat(fixture.count(null)).isEqualTo(3000);
    assertThat(fixture.count("v = 'old'")).isEqualTo(2994);
    Schema ids = new Schema(SCHEMA.findField("id"), SCHEMA.findField("v"), MetadataColumns.ROW_ID);
    assertThat(fixture.warehouse.rows(ids))
        .hasSize(3000)
        .contains("10,new,2989", "1010,new,1989", "2010,new,989", "2999,old,0")
        .noneMatch(line -> line.startsWith("11,") || line.startsWith("2011,"));
  }

  @Test
  void equalityDeletesAreAppliedBeforeTheTail() {
    Table table = fixture.table();
    DataFile file =
        write(table, FileFormat.PARQUET, List.of(row(1, "a"), row(2, "b"), row(3, "c")));
    table.newAppend().appendFile(file).commit();
    table.newRowDelta().addDeletes(equalityDelete(table, "b")).commit();
    fixture.upsert(row(3, "new"), row(4, "b"));

    assertThat(fixture.read(FreshFixture.all().withColumns(List.of("id", "v"))))
        .containsExactly("1|a", "3|new", "4|b");
    assertThat(fixture.count(null)).isEqualTo(3);
    assertThat(fixture.count("v = 'b'")).isEqualTo(1);
  }

  @Test
  void b038_positionDeletesOfFormatTwoAndOurVectorsAreBothApplied() {
    Table table =
        fixture
            .warehouse
            .catalog()
            .buildTable(org.apache.iceberg.catalog.TableIdentifier.of("ns", "v2"), SCHEMA)
            .withProperties(Map.of("format-version", "2"))
            .create();
    DataFile file =
        write(table, FileFormat.PARQUET, List.of(row(1, "a"), row(2, "b"), row(3, "c")));
    table.newAppend().appendFile(file).commit();
    table.newRowDelta().addDeletes(positionDelete(table, file, 1)).commit();
    fixture.warehouse.catalog().dropTable(TestWarehouse.name(), false);
    fixture
        .warehouse
        .catalog()
        .renameTable(
            org.apache.iceberg.catalog.TableIdentifier.of("ns", "v2"), TestWarehouse.name());
    fixture.warehouse.adopt(fixture.root.logOf(fixture.table().uuid()).at(0));
    ScanRequest request = FreshFixture.all().withColumns(List.of("id", "v"));

    fixture.upsert(row(1, "new"));
    assertThat(fixture.read(request)).containsExactly("1|new", "3|c");
    fixture.materialize();
    assertThat(fixture.read(request)).containsExactly("1|new", "3|c");
    fixture.upsert(row(3, "new"));
    assertThat(fixture.read(request)).containsExactly("1|new", "3|new");
  }

  @Test
  void b070_filesWithoutFieldIdsAreReadAndHiddenByName() throws IOException {
    Table table = fixture.table();
    java.io.File path = folder.resolve("foreign.parquet").toFile();
    org.apache.parquet.schema.MessageType type =
        org.apache.parquet.schema.MessageTypeParser.parseMessageType(
            "message t { optional binary v (STRING); required int64 id; }");
    try (org.apache.parquet.hadoop.ParquetWriter<org.apache.parquet.example.data.Group> writer =
        org.apache.parquet.hadoop.example.ExampleParquetWriter.builder(
                new org.apache.parquet.io.LocalOutputFile(path.toPath()))
            .withType(type)
            .withConf(new org.apache.parquet.conf.PlainParquetConfiguration())
            .build()) {
      org.apache.parquet.example.data.simple.SimpleGroupFactory groups =
          new org.apache.parquet.example.data.simple.SimpleGroupFactory(type);
      for (long id = 1; id <= 3; id++) {
        writer.write(groups.newGroup().append("v", "foreign").append("id", id));
      }
    }
    table
        .updateProperties()
        .set(
            org.apache.iceberg.TableProperties.DEFAULT_NAME_MAPPING,
            org.apache.iceberg.mapping.NameMappingParser.toJson(
                org.apache.iceberg.mapping.MappingUtil.create(table.schema())))
        .commit();
    table
        .newAppend()
        .appendFile(
            org.apache.iceberg.DataFiles.builder(PartitionSpec.unpartitioned())
                .withPath("file://" + path)
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(path.length())
                .withRecordCount(3)
                .build())
        .commit();
    fixture.upsert(row(2, "new"));

    assertThat(fixture.read(FreshFixture.all().withColumns(List.of("id", "v"))))
        .containsExactly("1|foreign", "2|new", "3|foreign");
    assertThat(fixture.count(null)).isEqualTo(3);
  }

  @Test
  void b086_fieldsOfStructsGoByIdAfterReorderAndRename() {
    fixture.upsert(row(1, "base"));
    fixture.materialize();
    fixture.upsert(row(2, "log"));
    fixture
        .table()
        .updateSchema()
        .renameColumn("st.day", "date")
        .moveFirst("st.tags")
        .addColumn("st", "extra", Types.LongType.get())
        .commit();

    List<String> rows = fixture.read(FreshFixture.all().withColumns(List.of("id", "st")));
    assertThat(rows).hasSize(2).allMatch(row -> row.contains("date=0") && row.contains("x, null"));
    assertThat(fixture.count("st.date = '1970-01-01' and st.extra is null")).isEqualTo(2);
    assertThat(
            fixture.table().schema().findField("st").type().asStructType().fields().get(0).name())
        .isEqualTo("tags");
    fixture.materialize();
    assertThat(fixture.read(FreshFixture.all().withColumns(List.of("id", "st")))).isEqualTo(rows);
  }

  @Test
  void b211_aLongTailIsReadInBoundedMemory() {
    int segments = 400;
    for (int i = 0; i < segments; i++) {
      List<Record> rows = new ArrayList<>();
      for (long id = 0; id < 50; id++) {
        rows.add(row(i * 25L + id, "v" + i));
      }
      fixture.upsert(rows);
    }
    try (org.apache.arrow.memory.BufferAllocator small =
        fixture.allocator.newChildAllocator("small", 0, 4 << 20)) {
      FreshScan scan = FreshScan.plan(FreshFixture.all(), fixture.services, small);
      assertThat(scan.count(small)).isEqualTo(segments * 25L + 25);
      try (FreshRows rows = scan.execute(small)) {
        long count = 0;
        while (rows.next()) {
          count += rows.root().getRowCount();
        }
        assertThat(count).isEqualTo(segments * 25L + 25);
      }
    }
  }

  private Record row(long id, String v) {
    GenericRecord struct = GenericRecord.create(SCHEMA.findType("st").asStructType());
    struct.set(0, LocalDate.EPOCH);
    List<String> tags = new ArrayList<>();
    tags.add("x");
    tags.add(null);
    struct.set(1, tags);
    Record record = GenericRecord.create(SCHEMA);
    record.set(0, id);
    record.set(1, v);
    record.set(2, struct);
    record.set(3, Map.of("k", 1L));
    return record;
  }

  private static DataFile write(Table table, FileFormat format, List<Record> rows) {
    DataWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .dataFileFormat(format)
            .build()
            .newDataWriter(
                OutputFileFactory.builderFor(table, 0, 0).format(format).build().newOutputFile(),
                PartitionSpec.unpartitioned(),
                null);
    try (writer) {
      rows.forEach(writer::write);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toDataFile();
  }

  private static DeleteFile equalityDelete(Table table, String v) {
    Schema schema = table.schema().select("v");
    EqualityDeleteWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .deleteFileFormat(FileFormat.PARQUET)
            .equalityFieldIds(new int[] {2})
            .equalityDeleteRowSchema(schema)
            .build()
            .newEqualityDeleteWriter(
                OutputFileFactory.builderFor(table, 0, 1)
                    .format(FileFormat.PARQUET)
                    .build()
                    .newOutputFile(),
                PartitionSpec.unpartitioned(),
                null);
    try (writer) {
      Record record = GenericRecord.create(schema);
      record.set(0, v);
      writer.write(record);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toDeleteFile();
  }

  private static DeleteFile positionDelete(Table table, DataFile file, long position) {
    PositionDeleteWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .deleteFileFormat(FileFormat.PARQUET)
            .build()
            .newPositionDeleteWriter(
                OutputFileFactory.builderFor(table, 0, 2)
                    .format(FileFormat.PARQUET)
                    .build()
                    .newOutputFile(),
                PartitionSpec.unpartitioned(),
                null);
    try (writer) {
      PositionDelete<Record> delete = PositionDelete.create();
      writer.write(delete.set(file.location(), position, null));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toDeleteFile();
  }
}
