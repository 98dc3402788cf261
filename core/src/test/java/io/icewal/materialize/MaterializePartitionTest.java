package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.merge.KeyColumns;
import io.icewal.model.IcewalException;
import io.icewal.model.PartitionRange;
import io.icewal.parquet.KeyPageCache;
import io.icewal.table.KeyLookup;
import io.icewal.table.LiveFiles;
import io.icewal.table.ManifestCache;
import io.icewal.table.OldRows;
import io.icewal.table.PartitionKeys;
import io.icewal.table.TestWarehouse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MaterializePartitionTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "p", Types.StringType.get()),
              NestedField.optional(3, "ts", Types.TimestampType.withZone())),
          Set.of(1));
  private static final long DAY = 86_400_000_000L;

  @TempDir private Path folder;
  private Warehouse warehouse;

  @BeforeEach
  void open() {
    warehouse = new Warehouse(folder);
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  @Test
  void aKeyThatMovesToAnotherPartitionLeavesNothingBehind() {
    warehouse.create(SCHEMA, PartitionSpec.builderFor(SCHEMA).identity("p").build());
    warehouse.upsert(Arrays.asList(1L, "A", 0L), Arrays.asList(2L, "A", 0L), row(3, "B"));
    warehouse.step();
    warehouse.upsert(row(1, "B"), row(4, null));

    assertThat(warehouse.materializeAll()).hasSize(4).anyMatch(r -> r.startsWith("1,B"));
    assertThat(warehouse.rowsWithIds()).anyMatch(r -> r.startsWith("1,B") && r.endsWith(",0"));
    assertThat(tasks()).allSatisfy(task -> assertThat(task.file().recordCount()).isPositive());
  }

  @Test
  void bucketsOfTheKeyAreLookedIntoForTheirOwnKeysOnly() {
    warehouse.create(SCHEMA, PartitionSpec.builderFor(SCHEMA).bucket("id", 8).build());
    Object[] first = new Object[200];
    for (int i = 0; i < 200; i++) {
      warehouse.upsert(row(i, "a"));
      first[i] = i;
    }
    warehouse.step();
    for (int i = 0; i < 200; i += 3) {
      warehouse.upsert(row(i, "b"));
    }
    warehouse.delete(List.of(1L), List.of(4L));

    List<String> rows = warehouse.materializeAll();

    assertThat(rows).hasSize(198);
    assertThat(rows.stream().filter(r -> r.split(",", -1)[1].equals("b"))).hasSize(67);
    assertThat(first).hasSize(200);
  }

  // b098
  @Test
  void b098_aDeletionVectorIsFiledUnderItsDataFilesOwnSpec() {
    warehouse.create(SCHEMA, PartitionSpec.builderFor(SCHEMA).day("ts").build());
    warehouse.upsert(Arrays.asList(1L, "a", DAY), Arrays.asList(2L, "b", DAY));
    warehouse.step();
    int oldSpec = warehouse.load().spec().specId();
    warehouse.load().updateSpec().removeField("ts_day").addField(Expressions.hour("ts")).commit();
    warehouse.upsert(Arrays.asList(1L, "new", DAY));

    List<String> rows = warehouse.materializeAll();

    assertThat(rows).hasSize(2).anyMatch(r -> r.startsWith("1,new"));
    assertThat(vectors())
        .singleElement()
        .satisfies(vector -> assertThat(vector.specId()).isEqualTo(oldSpec));
  }

  // b101
  @Test
  void b101_keyAndPartitionMayOverlapPartly() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(2, "cat", Types.StringType.get()),
                NestedField.required(3, "dt", Types.DateType.get()),
                NestedField.optional(4, "v", Types.StringType.get())),
            Set.of(1, 2));
    warehouse.create(
        schema, PartitionSpec.builderFor(schema).identity("cat").identity("dt").build());
    warehouse.upsert(List.of(1L, "x", 10, "a"), List.of(1L, "y", 10, "b"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "x", 11, "moved"));

    assertThat(warehouse.materializeAll())
        .containsExactly("1,x,1970-01-12,moved", "1,y,1970-01-11,b");
  }

  /// b101: the partition's `cat` is in the key, its `dt` is not.
  @Test
  void b101_oldRowsAreLookedForInTheFilesOfTheirOwnCategoryOnly() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(2, "cat", Types.StringType.get()),
                NestedField.required(3, "dt", Types.DateType.get())),
            Set.of(1, 2));
    warehouse.create(
        schema, PartitionSpec.builderFor(schema).identity("dt").identity("cat").build());
    for (long id = 0; id < 10; id++) {
      for (String cat : List.of("w", "x", "y", "z")) {
        warehouse.upsert(List.of(id, cat, id % 5));
      }
    }
    warehouse.step();
    Table table = warehouse.load();
    KeyColumns key = KeyColumns.of(schema);
    LiveFiles files = LiveFiles.of(table, key, new ManifestCache());

    try (VectorSchemaRoot rows =
        TestRows.of(key.keySchema(), List.of(List.of(3L, "y")), warehouse.allocator())) {
      PartitionKeys partitions = new PartitionKeys(table.specs(), key, rows);
      OldRows found =
          new KeyLookup(
                  table, key, key.encode(rows), new BitSet(), partitions, new KeyPageCache(1 << 20))
              .find(files.files());

      assertThat(files.files()).hasSize(20);
      assertThat(found.byFile()).hasSize(4);
      assertThat(found.count()).isOne();
    }
  }

  /// b074: the outermost values that ingestion lets through have a partition, are committed by
  /// Iceberg, and are found by its filters.
  @Test
  void b074_valuesAtTheEdgesOfPartitionTransformsAreFound() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "ts", Types.TimestampType.withoutZone()),
                NestedField.optional(3, "i", Types.IntegerType.get()),
                NestedField.optional(4, "l", Types.LongType.get()),
                NestedField.optional(5, "d", Types.DecimalType.of(38, 4))),
            Set.of(1));
    PartitionSpec spec =
        PartitionSpec.builderFor(schema)
            .hour("ts")
            .truncate("i", 7)
            .truncate("l", 7)
            .truncate("d", 7)
            .build();
    warehouse.create(schema, spec);
    List<PartitionRange> ranges = PartitionRange.of(spec, schema);
    warehouse.upsert(
        edge(1, ranges, PartitionRange::min),
        edge(2, ranges, PartitionRange::max),
        Arrays.asList(3L, null, null, null, null));

    assertThat(warehouse.materializeAll()).hasSize(3);
    assertThat(ids(Expressions.greaterThan("ts", "2020-01-01T00:00:00"))).containsExactly(2L);
    assertThat(ids(Expressions.lessThan("ts", "1900-01-01T00:00:00"))).containsExactly(1L);
    for (String column : List.of("i", "l", "d")) {
      assertThat(ids(Expressions.lessThan(column, 0))).containsExactly(1L);
      assertThat(ids(Expressions.greaterThan(column, 0))).containsExactly(2L);
    }
  }

  private static List<Object> edge(
      long id, List<PartitionRange> ranges, Function<PartitionRange, BigInteger> of) {
    return List.of(
        id,
        of.apply(ranges.get(0)),
        of.apply(ranges.get(1)),
        of.apply(ranges.get(2)),
        new BigDecimal(of.apply(ranges.get(3)), 4));
  }

  private List<Object> ids(Expression filter) {
    List<Object> ids = new ArrayList<>();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(warehouse.load()).where(filter).build()) {
      records.forEach(record -> ids.add(record.getField("id")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ids;
  }

  /// b074: a spec that came after the row may have no partition for it; the table stops loudly and
  /// goes on once the spec is changed.
  @Test
  void b074_aRowThatALaterSpecCannotPartitionStopsItsTableUntilTheSpecIsRepaired() {
    warehouse.create(SCHEMA, PartitionSpec.builderFor(SCHEMA).day("ts").build());
    warehouse.upsert(Arrays.asList(1L, "a", Long.MAX_VALUE));
    warehouse.load().updateSpec().addField(Expressions.hour("ts")).commit();

    assertThatThrownBy(warehouse::step)
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("hour(ts)");

    warehouse.load().updateSpec().removeField("ts_hour").commit();
    assertThat(warehouse.materializeAll()).hasSize(1);
  }

  // b103
  @Test
  void b103_identityPartitionsOfEveryTypeCountOnce() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "d", Types.DateType.get()),
                NestedField.optional(3, "i", Types.IntegerType.get()),
                NestedField.optional(4, "n", Types.DecimalType.of(9, 2)),
                NestedField.optional(5, "t", Types.TimestampType.withZone()),
                NestedField.optional(6, "b", Types.BooleanType.get()),
                NestedField.optional(7, "x", Types.BinaryType.get())),
            Set.of(1));
    PartitionSpec.Builder spec = PartitionSpec.builderFor(schema);
    schema.columns().subList(1, 7).forEach(column -> spec.identity(column.name()));
    warehouse.create(schema, spec.build());
    for (long round = 0; round < 3; round++) {
      warehouse.upsert(
          List.of(1L, 3, 4, new BigDecimal("-1.50"), -1L, true, new byte[] {(byte) 0xFF, 0}),
          Arrays.asList(2L, null, null, null, null, null, null),
          List.of(3L, -3, -4, new BigDecimal("0.01"), round, false, new byte[0]));
      assertThat(warehouse.materializeAll()).hasSize(3);
    }
    warehouse.delete(List.of(2L));

    assertThat(warehouse.materializeAll()).hasSize(2);
  }

  // b107
  @Test
  void b107_strangePartitionValuesDoNotBecomePaths() {
    warehouse.create(SCHEMA, PartitionSpec.builderFor(SCHEMA).identity("p").build());
    List<@Nullable String> values =
        Arrays.asList(
            null, "null", "", "a/b", "a=b", "..", "%2F", "\uD83D\uDE00", "x".repeat(2000));
    for (int i = 0; i < values.size(); i++) {
      warehouse.upsert(row(i, values.get(i)));
    }
    assertThat(warehouse.materializeAll()).hasSize(values.size());
    assertThat(tasks()).hasSize(values.size());
    for (int i = 0; i < values.size(); i++) {
      warehouse.upsert(row(i, "one"));
    }

    assertThat(warehouse.materializeAll()).hasSize(values.size());
    assertThat(tasks()).hasSize(1);
  }

  // b218
  @Test
  void b218_aBatchOfManyPartitionsHasOneWriterOpenAtATime() {
    warehouse.create(SCHEMA, PartitionSpec.builderFor(SCHEMA).identity("p").build());
    List<?>[] rows = new List<?>[300];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = row(i, "p" + i);
    }
    warehouse.upsert(rows);

    assertThat(warehouse.materializeAll()).hasSize(300);
    assertThat(tasks()).hasSize(300);
  }

  // b109
  @Test
  void b109_aSpecChangedInsideACycleLeavesEachFileUnderOneSpec() {
    warehouse.create(SCHEMA, PartitionSpec.builderFor(SCHEMA).identity("p").build());
    warehouse.upsert(row(1, "A"), row(2, "B"));
    warehouse.hook(
        io.icewal.table.HookedTable.before(
            () -> warehouse.load().updateSpec().addField(Expressions.bucket("id", 4)).commit()));

    assertThat(warehouse.step().status()).isEqualTo(MaterializeResult.Status.COMMITTED);
    warehouse.upsert(row(1, "B"), row(3, "C"));

    assertThat(warehouse.materializeAll()).hasSize(3);
  }

  // b038
  @Test
  void b038_oldPositionDeletesGoIntoTheFirstVectorOfTheirFile() {
    warehouse.tables().catalog().createNamespace(TestWarehouse.name().namespace());
    Table old =
        warehouse
            .tables()
            .catalog()
            .buildTable(TestWarehouse.name(), SCHEMA)
            .withProperty(TableProperties.FORMAT_VERSION, "2")
            .create();
    warehouse.tables().append(List.of(values(1), values(2), values(3), values(4)));
    foreignPositionDelete(old, 1);
    assertThat(warehouse.rows()).hasSize(3);
    warehouse.tables().adopt(warehouse.end());
    warehouse.upsert(row(4, "new"));

    List<String> rows = warehouse.materializeAll();

    assertThat(rows).hasSize(3).noneMatch(r -> r.startsWith("2,"));
    assertThat(rows).anyMatch(r -> r.startsWith("4,new"));
    assertThat(vectors())
        .singleElement()
        .satisfies(
            vector -> {
              assertThat(vector.format()).isEqualTo(FileFormat.PUFFIN);
              assertThat(vector.content()).isEqualTo(FileContent.POSITION_DELETES);
              assertThat(vector.recordCount()).isEqualTo(2);
            });
  }

  // b038: deletes of a whole partition, whose value is bytes.
  @Test
  void b038_positionDeletesOfAPartitionOfBytesGoIntoTheFirstVectorsToo() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "p", Types.BinaryType.get())),
            Set.of(1));
    PartitionSpec spec = PartitionSpec.builderFor(schema).identity("p").build();
    warehouse.tables().catalog().createNamespace(TestWarehouse.name().namespace());
    warehouse
        .tables()
        .catalog()
        .buildTable(TestWarehouse.name(), schema)
        .withPartitionSpec(spec)
        .withProperty(TableProperties.FORMAT_VERSION, "2")
        .create();
    Table table = warehouse.load();
    PartitionData partition = new PartitionData(table.spec().partitionType());
    partition.set(0, ByteBuffer.wrap(new byte[] {7}));
    List<String> locations = new ArrayList<>();
    AppendFiles append = table.newAppend();
    for (long id = 1; id < 7; id += 3) {
      List<List<Object>> rows = new ArrayList<>();
      for (long i = id; i < id + 3; i++) {
        rows.add(List.of(i, ByteBuffer.wrap(new byte[] {7})));
      }
      DataFile file = TestWarehouse.write(table, rows, partition);
      append.appendFile(file);
      locations.add(file.location());
    }
    append.commit();
    foreignPositionDelete(table, partition, locations, 0);
    warehouse.tables().adopt(warehouse.end());
    warehouse.upsert(List.of(2L, new byte[] {7}), List.of(6L, new byte[] {7}));

    assertThat(warehouse.materializeAll())
        .extracting(row -> row.substring(0, 1))
        .containsExactly("2", "3", "5", "6");
  }

  private static List<Object> values(long id) {
    return List.of(
        id, "v", java.time.OffsetDateTime.of(2020, 1, 1, 0, 0, 0, 0, java.time.ZoneOffset.UTC));
  }

  private static void foreignPositionDelete(
      Table table, @Nullable PartitionData partition, List<String> locations, long row) {
    OutputFileFactory outputs =
        OutputFileFactory.builderFor(table, 0, 0).format(FileFormat.PARQUET).build();
    PositionDeleteWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .deleteFileFormat(FileFormat.PARQUET)
            .build()
            .newPositionDeleteWriter(outputs.newOutputFile(), table.spec(), partition);
    try (writer) {
      for (String location : locations.stream().sorted().toList()) {
        PositionDelete<Record> delete = PositionDelete.create();
        delete.set(location, row);
        writer.write(delete);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit();
  }

  private static void foreignPositionDelete(Table table, long row) {
    table.refresh();
    String location;
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      location = tasks.iterator().next().file().location();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    foreignPositionDelete(table, null, List.of(location), row);
  }

  private static List<@Nullable Object> row(long id, @Nullable String p) {
    return Arrays.asList(id, p, 0L);
  }

  private List<DeleteFile> vectors() {
    return tasks().stream().flatMap(task -> task.deletes().stream()).toList();
  }

  private List<FileScanTask> tasks() {
    try (CloseableIterable<FileScanTask> tasks = warehouse.load().newScan().planFiles()) {
      return StreamSupport.stream(tasks.spliterator(), false).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
