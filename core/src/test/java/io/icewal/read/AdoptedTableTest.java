package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializeResult;
import io.icewal.table.AdoptionRequest;
import io.icewal.table.ForeignTable;
import io.icewal.table.TestWarehouse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tables with a past under other engines, then written through the log: every read, fresh or of
/// plain Iceberg, gives what an oracle has.
final class AdoptedTableTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get()),
              NestedField.optional(3, "region", Types.StringType.get())),
          Set.of(1));

  private static final List<String> REGIONS = Arrays.asList("eu", "us", null);

  @TempDir private Path folder;
  private FreshFixture fixture;

  /// `v|region` by id.
  private final TreeMap<Long, String> oracle = new TreeMap<>();

  @BeforeEach
  void open() {
    fixture = new FreshFixture(folder);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private ForeignTable foreign(int version, Schema schema, PartitionSpec spec) {
    return ForeignTable.create(
        fixture.warehouse.catalog(), TestWarehouse.name(), version, schema, spec, Map.of());
  }

  private static List<Object> row(
      @Nullable Object id, @Nullable String v, @Nullable String region) {
    return Arrays.asList(id, v, region);
  }

  /// Rows in no order.
  private static List<List<Object>> rows(int from, int to, @Nullable String region) {
    List<List<Object>> rows = new ArrayList<>();
    for (long id = from; id < to; id++) {
      rows.add(row(id, "old" + id, region));
    }
    java.util.Collections.shuffle(rows, new Random(from));
    return rows;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void unsortedFilesOfAnyVersion(int version) {
    ForeignTable foreign = foreign(version, SCHEMA, PartitionSpec.unpartitioned());
    foreign.append(rows(0, 20, "eu"));
    foreign.append(rows(20, 40, null));
    foreign.append(rows(40, 45, "us"));

    adoptAndLive(AdoptionRequest.of(TestWarehouse.name()), version);
  }

  @Test
  void b038_positionDeletesOfFormatTwo() {
    ForeignTable foreign = foreign(2, SCHEMA, PartitionSpec.unpartitioned());
    DataFile first = foreign.append(rows(0, 20, "eu"));
    DataFile second = foreign.append(rows(20, 40, null));
    foreign.delete(first, 3, 5);
    foreign.deleteByPosition(List.of(first, second), 7, 8);
    foreign.append(rows(100, 110, "us"));

    adoptAndLive(AdoptionRequest.of(TestWarehouse.name()), 1);
  }

  @Test
  void deletionVectorsOfFormatThree() {
    ForeignTable foreign = foreign(3, SCHEMA, PartitionSpec.unpartitioned());
    DataFile first = foreign.append(rows(0, 20, "eu"));
    foreign.append(rows(20, 40, null));
    foreign.delete(first, 0, 19);

    adoptAndLive(AdoptionRequest.of(TestWarehouse.name()), 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void severalPartitionSpecs(int version) {
    ForeignTable foreign =
        foreign(version, SCHEMA, PartitionSpec.builderFor(SCHEMA).identity("region").build());
    DataFile eu = append(foreign, "eu", rows(0, 10, "eu"));
    append(foreign, "us", rows(10, 20, "us"));
    append(foreign, null, rows(20, 30, null));
    foreign.load().updateSpec().addField(Expressions.bucket("id", 2)).commit();
    DataFile bucket = appendBucketed(foreign, "us", rows(30, 40, "us"));
    foreign.load().updateSpec().removeField("region").commit();
    appendBucketed(foreign, null, rows(40, 60, "eu"));
    if (version > 1) {
      foreign.delete(eu, 1);
      foreign.delete(bucket, 0);
    }

    adoptAndLive(AdoptionRequest.of(TestWarehouse.name()), version);
  }

  private static DataFile append(
      ForeignTable foreign, @Nullable String region, List<List<Object>> rows) {
    PartitionData partition = new PartitionData(foreign.load().spec().partitionType());
    partition.set(0, region);
    return foreign.append(FileFormat.PARQUET, partition, rows);
  }

  /// One file for each bucket of ids, the first of which is returned.
  private static DataFile appendBucketed(
      ForeignTable foreign, @Nullable String region, List<List<Object>> rows) {
    PartitionSpec spec = foreign.load().spec();
    int field = spec.fields().size() - 1;
    DataFile first = null;
    for (int bucket = 0; bucket < 2; bucket++) {
      PartitionData partition = new PartitionData(spec.partitionType());
      for (int i = 0; i < field; i++) {
        partition.set(i, spec.fields().get(i).transform().isVoid() ? null : region);
      }
      partition.set(field, bucket);
      int wanted = bucket;
      List<List<Object>> own = rows.stream().filter(row -> bucketOf(row) == wanted).toList();
      DataFile file = foreign.append(FileFormat.PARQUET, partition, own);
      first = first == null ? file : first;
    }
    return first;
  }

  private static int bucketOf(List<Object> row) {
    return org.apache.iceberg.transforms.Transforms.<Object>bucket(2)
        .bind(Types.LongType.get())
        .apply(row.get(0));
  }

  @Test
  void columnsThatWereRenamedPromotedAddedAndDropped() {
    Schema early =
        new Schema(
            List.of(
                NestedField.required(1, "number", Types.IntegerType.get()),
                NestedField.optional(2, "gone", Types.LongType.get()),
                NestedField.optional(3, "text", Types.StringType.get())),
            Set.of(1));
    ForeignTable foreign = foreign(2, early, PartitionSpec.unpartitioned());
    DataFile file =
        foreign.append(List.of(row(7, null, "g"), row(-1, null, "minus"), row(2, null, null)));
    foreign.delete(file, 0);
    Table table = foreign.load();
    table
        .updateSchema()
        .renameColumn("number", "id")
        .updateColumn("number", Types.LongType.get())
        .renameColumn("text", "v")
        .deleteColumn("gone")
        .addColumn("region", Types.StringType.get())
        .commit();
    foreign.append(List.of(row(1L << 40, "big", "us"), row(7L, "again", null)));

    adoptAndLive(AdoptionRequest.of(TestWarehouse.name()), 3);

    assertThat(oracle).containsKey(1L << 40);
  }

  @Test
  void filesWithDeletedRowsThatHaveNoKey() {
    Schema optional = new Schema(SCHEMA.columns().stream().map(NestedField::asOptional).toList());
    ForeignTable foreign = foreign(2, optional, PartitionSpec.unpartitioned());
    DataFile file =
        foreign.append(List.of(row(5L, "a", "eu"), row(null, "x", "eu"), row(1L, "b", null)));
    foreign.append(rows(20, 30, null));
    foreign.delete(file, 1);

    adoptAndLive(AdoptionRequest.of(TestWarehouse.name()).withKey(List.of("id")).requiringKey(), 4);
  }

  /// A sloppy engine may write a null where the key is required: it is a row that no key names.
  @Test
  void aRowWithoutAKeyThatAnotherEngineAddsLaterStopsNothing() {
    Schema optional = new Schema(SCHEMA.columns().stream().map(NestedField::asOptional).toList());
    ForeignTable foreign = foreign(2, optional, PartitionSpec.unpartitioned());
    DataFile sloppy =
        foreign.write(FileFormat.PARQUET, null, List.of(row(5L, "a", "eu"), row(null, "x", null)));
    fixture.warehouse.adopt(
        AdoptionRequest.of(TestWarehouse.name()).withKey(List.of("id")).requiringKey(),
        fixture.end());
    fixture.table().newAppend().appendFile(sloppy).commit();

    fixture.upsert(record(5, "b", null), record(6, "c", null));

    assertThat(fixture.count(null)).isEqualTo(3);
    fixture.materialize();
    assertThat(fixture.warehouse.rows()).containsExactly("5,b,null", "6,c,null", "null,x,null");
  }

  private void adoptAndLive(AdoptionRequest request, long seed) {
    List<String> before = fixture.warehouse.rows();
    fixture.warehouse.adopt(request, fixture.end());
    for (String row : before) {
      String[] parts = row.split(",", -1);
      oracle.put(Long.parseLong(parts[0]), parts[1] + "|" + parts[2]);
    }
    assertThat(oracle).hasSameSizeAs(before);
    assertPlain();
    assertFresh();
    Random random = new Random(seed);
    for (int round = 0; round < 4; round++) {
      change(random, round);
      assertFresh();
      if (round % 2 == 1) {
        assertThat(fixture.materialize().status()).isEqualTo(MaterializeResult.Status.COMMITTED);
        assertFresh();
        assertPlain();
      }
    }
    assertRowIdsAreUnique();
  }

  private void change(Random random, int round) {
    List<Record> upserts = new ArrayList<>();
    List<Record> deletes = new ArrayList<>();
    for (Long id : List.copyOf(oracle.keySet())) {
      int dice = random.nextInt(10);
      if (dice < 3) {
        upserts.add(upsert(id, "r" + round, random));
      } else if (dice == 3) {
        oracle.remove(id);
        deletes.add(record(id, null, null));
      }
    }
    for (long id = 1000L * (round + 1); id < 1000L * (round + 1) + 5; id++) {
      upserts.add(upsert(id, "new", random));
    }
    fixture.upsert(upserts);
    if (!deletes.isEmpty()) {
      fixture.delete(deletes);
    }
  }

  private Record upsert(long id, String v, Random random) {
    String region = REGIONS.get(random.nextInt(REGIONS.size()));
    oracle.put(id, v + "|" + region);
    return record(id, v, region);
  }

  /// In the order of the table's columns, which is not always the same.
  private Record record(long id, @Nullable String v, @Nullable String region) {
    Record record = org.apache.iceberg.data.GenericRecord.create(fixture.table().schema());
    record.setField("id", id);
    record.setField("v", v);
    record.setField("region", region);
    return record;
  }

  private void assertFresh() {
    List<String> rows = fixture.read(FreshFixture.all().withColumns(List.of("id", "v", "region")));
    assertThat(rows).containsExactlyInAnyOrderElementsOf(expected());
    assertThat(fixture.count(null)).isEqualTo(oracle.size());
  }

  private void assertPlain() {
    List<String> rows =
        fixture.warehouse.rows(fixture.table().schema()).stream()
            .map(row -> row.replace(',', '|'))
            .toList();
    assertThat(rows).containsExactlyInAnyOrderElementsOf(expected());
  }

  private List<String> expected() {
    return oracle.entrySet().stream().map(row -> row.getKey() + "|" + row.getValue()).toList();
  }

  private void assertRowIdsAreUnique() {
    List<String> ids = fixture.warehouse.rows(new Schema(MetadataColumns.ROW_ID));
    assertThat(ids).hasSize(oracle.size()).doesNotHaveDuplicates().doesNotContain("null");
  }
}
