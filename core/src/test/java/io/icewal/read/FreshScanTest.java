package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.Position;
import io.icewal.table.TestWarehouse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreshScanTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

  @TempDir Path folder;
  private FreshFixture fixture;

  @BeforeEach
  void open() {
    fixture = new FreshFixture(folder);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void b194_filtersApplyAfterTheMerge() {
    fixture.create(SCHEMA);
    fixture.upsert(fixture.row(1L, "a"));
    fixture.materialize();
    fixture.upsert(fixture.row(1L, "b"));

    assertThat(fixture.read("v = 'a'")).isEmpty();
    assertThat(fixture.read("v = 'b'")).containsExactly("1|b");
    assertThat(fixture.read("v <> 'b'")).isEmpty();
    assertThat(fixture.read("v is null")).isEmpty();

    fixture.delete(List.of(fixture.row(1L, null)));
    assertThat(fixture.read("v = 'a'")).isEmpty();
    assertThat(fixture.count("v = 'a'")).isZero();
  }

  @Test
  void aSnapshotThatExpiresWhileItIsPlannedIsPlannedAgain() {
    fixture.create(SCHEMA);
    fixture.upsert(fixture.row(1L, "a"));
    fixture.materialize();
    Table stale = fixture.table();
    fixture.upsert(fixture.row(1L, "b"));
    fixture.materialize();
    fixture
        .table()
        .expireSnapshots()
        .expireSnapshotId(stale.currentSnapshot().snapshotId())
        .commit();
    Deque<Table> loads = new ArrayDeque<>(List.of(stale));
    ScanServices services =
        new ScanServices(
            name -> loads.isEmpty() ? fixture.table() : loads.remove(), fixture.tails, null);

    FreshScan scan = FreshScan.plan(FreshFixture.all(), services, fixture.allocator);

    assertThat(loads).isEmpty();
    assertThat(scan.snapshotId()).isEqualTo(fixture.table().currentSnapshot().snapshotId());
    assertThat(scan.count(fixture.allocator)).isEqualTo(1);
  }

  @Test
  void b196_countsIncludeTheLogAndDeletes() {
    fixture.create(SCHEMA);
    fixture.upsert(rows(0, 10, "base"));
    fixture.materialize();
    fixture.upsert(rows(0, 3, "new"));
    fixture.delete(rows(3, 5, null));
    fixture.upsert(rows(100, 104, "new"));

    assertThat(fixture.count(null)).isEqualTo(12);
    assertThat(fixture.plan(FreshFixture.all()).status(fixture.allocator).rows()).isEqualTo(12);
    assertThat(
            fixture.read(
                FreshFixture.all().withColumns(List.of()), root -> List.of(root.getRowCount())))
        .isNotEmpty();
    fixture.materialize();
    assertThat(fixture.count(null)).isEqualTo(12);
  }

  @Test
  void b197_extremesAreFoundWhereTheLogChangedThem() {
    fixture.create(SCHEMA);
    fixture.upsert(rows(0, 10, "base"));
    fixture.materialize();
    fixture.delete(rows(9, 10, null));
    fixture.upsert(fixture.row(0L, "a string of more than sixteen characters"));

    assertThat(fixture.read("id >= 8")).containsExactly("8|base");
    assertThat(fixture.read("v > 'a string of more than sixteen character'")).hasSize(9);
    assertThat(fixture.read("v < 'b'"))
        .containsExactly("0|a string of more than sixteen characters");
  }

  @Test
  void b200_limitsAreAppliedAfterTheMerge() {
    fixture.create(SCHEMA);
    fixture.upsert(rows(0, 10, "base"));
    fixture.materialize();
    fixture.delete(rows(1, 10, null));

    assertThat(fixture.read(FreshFixture.all().withLimit(5))).containsExactly("0|base");
    assertThat(fixture.read(FreshFixture.all().withLimit(0))).isEmpty();
    assertThat(fixture.plan(FreshFixture.all().withLimit(5)).count(fixture.allocator)).isEqualTo(1);
  }

  @Test
  void b202_olderSnapshotsHaveTheirOwnColumnsAndNoTail() {
    fixture.create(SCHEMA);
    fixture.upsert(fixture.row(1L, "a"));
    fixture.materialize();
    long first = fixture.table().currentSnapshot().snapshotId();
    fixture
        .table()
        .updateSchema()
        .renameColumn("v", "w")
        .addColumn("n", Types.LongType.get())
        .commit();
    fixture.upsert(fixture.row(2L, "b", 5L));
    fixture.materialize();
    fixture.upsert(fixture.row(3L, "c", 6L));

    assertThat(fixture.read(FreshFixture.all().withSnapshotId(first).withWhere("v = 'a'")))
        .containsExactly("1|a");
    assertThat(fixture.read(FreshFixture.all())).containsExactly("1|a|null", "2|b|5", "3|c|6");
    assertThatThrownBy(() -> fixture.plan(FreshFixture.all().withSnapshotId(77L)))
        .hasMessageContaining("no snapshot 77");
  }

  @Test
  void noTailReadsTheSnapshotAndAtLeastWaitsForAPosition() {
    fixture.create(SCHEMA);
    fixture.upsert(fixture.row(1L, "a"));
    fixture.materialize();
    Position position = fixture.upsert(fixture.row(2L, "b"));
    ScanRequest plain = FreshFixture.all().withFreshness(Freshness.NO_TAIL);

    assertThat(fixture.read(plain)).containsExactly("1|a");
    assertThat(fixture.read(FreshFixture.all().withAtLeast(position))).hasSize(2);
    assertThatThrownBy(() -> fixture.plan(plain.withAtLeast(position)))
        .hasMessageContaining("not yet up to");
    fixture.materialize();
    assertThat(fixture.read(plain.withAtLeast(position))).hasSize(2);
  }

  @Test
  void truncationsInTheTailHideTheWholeSnapshot() {
    fixture.create(SCHEMA);
    fixture.upsert(rows(0, 5, "base"));
    fixture.materialize();
    fixture.upsert(rows(5, 6, "gone"));
    fixture.truncate();
    fixture.upsert(rows(7, 8, "new"));

    assertThat(fixture.read(FreshFixture.all())).containsExactly("7|new");
    assertThat(fixture.plan(FreshFixture.all()).files()).isEmpty();
    assertThat(fixture.count(null)).isEqualTo(1);
  }

  @Test
  void appendOnlyTablesKeepEveryRow() {
    fixture.create(new Schema(SCHEMA.columns()));
    fixture.upsert(fixture.row(1L, "a"), fixture.row(1L, "a"));
    fixture.materialize();
    fixture.upsert(fixture.row(1L, "a"), fixture.row(1L, null));

    assertThat(fixture.read(FreshFixture.all())).containsExactly("1|a", "1|a", "1|a", "1|null");
    assertThat(fixture.count(null)).isEqualTo(4);
    assertThat(fixture.count("v is null")).isEqualTo(1);
  }

  @Test
  void parkedRowsAreStillReadInTheirOrder() {
    fixture.create(SCHEMA);
    fixture.upsert(fixture.row(1L, "a"));
    fixture.upsert(fixture.row(2L, "a"));
    fixture.trim(true);
    fixture.upsert(fixture.row(2L, "b"));

    assertThat(fixture.read(FreshFixture.all())).containsExactly("1|a", "2|b");
    assertThat(fixture.plan(FreshFixture.all()).status(fixture.allocator).parkedBlocks())
        .isEqualTo(2);
  }

  @Test
  void columnsComeInTheWantedOrderAndFieldsOfStructsAlone() {
    Schema nested =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(
                    2,
                    "s",
                    Types.StructType.of(
                        NestedField.optional(3, "x", Types.IntegerType.get()),
                        NestedField.optional(4, "y", Types.StringType.get())))),
            Set.of(1));
    fixture.create(nested);
    GenericRecord struct = GenericRecord.create(nested.findType("s").asStructType());
    struct.set(0, 5);
    struct.set(1, "why");
    fixture.upsert(fixture.row(1L, struct));

    for (int state = 0; state < 2; state++) {
      ScanRequest request =
          FreshFixture.all().withColumns(List.of("s.x", "id")).withWhere("s.y = 'why'");
      assertThat(fixture.read(request)).containsExactly("{x=5}|1");
      assertThat(fixture.plan(request).projection().columns().get(0).name()).isEqualTo("s");
      fixture.materialize();
    }
    assertThatThrownBy(() -> fixture.plan(FreshFixture.all().withColumns(List.of("nope"))))
        .hasMessageContaining("there is no column 'nope'; the columns are id, s");
  }

  @Test
  void b100_partitionFiltersNeverDropTheRowThatHides() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(2, "p", Types.StringType.get())),
            Set.of(1));
    fixture.create(schema, PartitionSpec.builderFor(schema).identity("p").build());
    fixture.upsert(fixture.row(1L, "A"));
    fixture.materialize();
    fixture.upsert(fixture.row(1L, "B"));

    assertThat(fixture.read("p = 'A'")).isEmpty();
    assertThat(fixture.read("p = 'B'")).containsExactly("1|B");
  }

  @Test
  void b103_keysAreMatchedInPartitionsOfEveryType() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "d", Types.DateType.get()),
                NestedField.required(2, "i", Types.IntegerType.get()),
                NestedField.required(3, "b", Types.BooleanType.get()),
                NestedField.required(4, "x", Types.BinaryType.get()),
                NestedField.required(5, "n", Types.DecimalType.of(9, 2)),
                NestedField.optional(6, "v", Types.StringType.get())),
            Set.of(1, 2, 3, 4, 5));
    fixture.create(
        schema,
        PartitionSpec.builderFor(schema)
            .identity("d")
            .identity("i")
            .identity("b")
            .identity("x")
            .identity("n")
            .build());
    fixture.upsert(partitioned("old"));
    fixture.materialize();
    List<Record> half = partitioned("new");
    fixture.upsert(half.subList(0, half.size() / 2));

    assertThat(fixture.count(null)).isEqualTo(half.size());
    assertThat(fixture.count("v = 'new'")).isEqualTo(half.size() / 2);
    FreshScan scan = fixture.plan(FreshFixture.all());
    assertThat(scan.files()).hasSize(half.size());
    assertThat(scan.files()).allMatch(task -> task.slice().size() <= 1);
    assertThat(scan.files().stream().filter(task -> !task.slice().isEmpty()))
        .hasSize(half.size() / 2);
  }

  /// b101, and design of the fresh scan: files are left out by the partition fields whose source is
  /// in the key, even if others are not.
  @Test
  void b101_aPartitionThatFollowsFromTheKeyInPartLeavesOutTheOthersFiles() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(2, "cat", Types.StringType.get()),
                NestedField.required(3, "dt", Types.DateType.get())),
            Set.of(1, 2));
    fixture.create(schema, PartitionSpec.builderFor(schema).identity("dt").identity("cat").build());
    List<Record> base = new ArrayList<>();
    for (int cat = 0; cat < 4; cat++) {
      for (long id = 0; id < 10; id++) {
        base.add(fixture.row(id, "cat" + cat, LocalDate.ofEpochDay(id % 5)));
      }
    }
    fixture.upsert(base);
    fixture.materialize();
    fixture.upsert(fixture.row(3L, "cat2", LocalDate.ofEpochDay(9)));

    FreshScan scan = fixture.plan(FreshFixture.all());
    assertThat(scan.files()).hasSize(20);
    assertThat(scan.files().stream().filter(task -> !task.slice().isEmpty()))
        .allMatch(task -> task.scan().file().partition().get(1, String.class).equals("cat2"))
        .hasSize(4);
    assertThat(fixture.count(null)).isEqualTo(40);
    assertThat(fixture.read("id = 3 and cat = 'cat2'")).containsExactly("3|cat2|9");
    fixture.materialize();
    assertThat(fixture.read("id = 3 and cat = 'cat2'")).containsExactly("3|cat2|9");
  }

  private List<Record> partitioned(String v) {
    List<Record> rows = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      rows.add(
          fixture.row(
              LocalDate.ofEpochDay(i - 3),
              i - 3,
              i % 2 == 0,
              ByteBuffer.wrap(new byte[] {(byte) (i - 3)}),
              java.math.BigDecimal.valueOf(i - 3, 2),
              v));
    }
    return rows;
  }

  @Test
  void b107_partitionValuesOfAnyTextKeepApart() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "p", Types.StringType.get())),
            Set.of(1));
    fixture.create(schema, PartitionSpec.builderFor(schema).identity("p").build());
    String[] texts = {null, "null", "", "a/b", "a=b", "..", "%2F", "\uD83D\uDE00", "x".repeat(200)};
    List<Record> rows = new ArrayList<>();
    for (int i = 0; i < texts.length; i++) {
      rows.add(fixture.row((long) i, texts[i]));
    }
    fixture.upsert(rows);
    for (int state = 0; state < 2; state++) {
      for (int i = 0; i < texts.length; i++) {
        String where = texts[i] == null ? "p is null" : "p = '" + texts[i] + "'";
        assertThat(fixture.read(where)).containsExactly(i + "|" + texts[i]);
      }
      fixture.materialize();
    }
  }

  @Test
  void b110_columnsWithOddNamesAreReadAndFiltered() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "sp ace", Types.LongType.get()),
                NestedField.optional(2, "a.b", Types.StringType.get()),
                NestedField.optional(3, "日本", Types.StringType.get())),
            Set.of(1));
    fixture.create(schema);
    fixture.upsert(fixture.row(1L, "x", "y"));
    for (int state = 0; state < 2; state++) {
      assertThat(fixture.read("\"sp ace\" = 1 and \"a.b\" = 'x' and 日本 = 'y'"))
          .containsExactly("1|x|y");
      assertThat(fixture.read(FreshFixture.all().withColumns(List.of("a.b")))).containsExactly("x");
      fixture.materialize();
    }
  }

  @Test
  void b055_uuidKeysAreMatchedAndFilteredWhateverTheirFirstBit() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "u", Types.UUIDType.get()),
                NestedField.optional(2, "v", Types.StringType.get())),
            Set.of(1));
    fixture.create(schema);
    long[] high = {0, 0x7fL << 56, 0x80L << 56, 0xffL << 56};
    List<Record> old = new ArrayList<>();
    List<Record> young = new ArrayList<>();
    for (long bits : high) {
      old.add(fixture.row(new UUID(bits, bits), "old"));
      young.add(fixture.row(new UUID(bits, bits), "new"));
    }
    fixture.upsert(old);
    fixture.materialize();
    fixture.upsert(young.subList(1, 3));

    assertThat(fixture.count(null)).isEqualTo(4);
    assertThat(fixture.count("v = 'new'")).isEqualTo(2);
    assertThat(fixture.read("u = '" + new UUID(high[2], high[2]) + "'")).hasSize(1);
    assertThat(fixture.count("u >= '80000000-0000-0000-0000-000000000000'")).isEqualTo(2);
    assertThat(fixture.count("u < '80000000-0000-0000-0000-000000000000'")).isEqualTo(2);
  }

  @Test
  void b061_stringKeysBeyondTheBasicPlaneAreMatched() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "s", Types.StringType.get()),
                NestedField.optional(2, "v", Types.StringType.get())),
            Set.of(1));
    fixture.create(schema);
    fixture.upsert(fixture.row("\uFFFD", "a"), fixture.row("\uD83D\uDE00", "a"));
    fixture.materialize();
    fixture.upsert(fixture.row("\uFFFD", "b"), fixture.row("\uD83D\uDE00", "b"));

    assertThat(fixture.count(null)).isEqualTo(2);
    assertThat(fixture.count("v = 'b'")).isEqualTo(2);
    assertThat(fixture.read("s > '\uFFFD'")).containsExactly("\uD83D\uDE00|b");
    fixture.materialize();
    assertThat(fixture.read("s > '\uFFFD'")).containsExactly("\uD83D\uDE00|b");
  }

  @Test
  void b181_everyCopyOfAKeyInForeignFilesIsHidden() {
    fixture.create(SCHEMA);
    fixture.warehouse.append(List.of(List.of(1L, "x"), List.of(1L, "y"), List.of(2L, "z")));
    fixture.warehouse.append(List.of(List.of(1L, "w")));
    fixture.upsert(fixture.row(1L, "new"));

    assertThat(fixture.read(FreshFixture.all())).containsExactly("1|new", "2|z");
    assertThat(fixture.count(null)).isEqualTo(2);
  }

  @Test
  void plainTablesOfOtherEnginesAreReadWithoutATail() {
    Table table =
        fixture.warehouse.catalog().createTable(TestWarehouse.name(), new Schema(SCHEMA.columns()));
    DataFile file = TestWarehouse.write(table, List.of(List.of(1L, "x")));
    table.newAppend().appendFile(file).commit();

    assertThat(fixture.read(FreshFixture.all())).containsExactly("1|x");
    assertThat(fixture.plan(FreshFixture.all()).position()).isEmpty();
  }

  @Test
  void scansCanBeClosedAtAnyMoment() {
    fixture.create(SCHEMA);
    fixture.upsert(rows(0, 100, "base"));
    fixture.materialize();
    fixture.upsert(rows(50, 150, "new"));
    for (int batches = 0; batches < 4; batches++) {
      try (FreshRows rows = fixture.plan(FreshFixture.all()).execute(fixture.allocator)) {
        for (int i = 0; i < batches && rows.next(); i++) {
          assertThat(rows.root().getRowCount()).isPositive();
        }
      }
      assertThat(fixture.allocator.getAllocatedMemory()).isZero();
    }
  }

  @Test
  void aScanKeepsItsCutWhateverHappensMeanwhile() {
    fixture.create(SCHEMA);
    fixture.upsert(rows(0, 5, "base"));
    fixture.materialize();
    fixture.upsert(rows(3, 8, "new"));
    FreshScan scan = fixture.plan(FreshFixture.all());
    fixture.upsert(rows(0, 20, "later"));
    fixture.materialize();

    assertThat(scan.count(fixture.allocator)).isEqualTo(8);
    assertThat(scan.end().orElseThrow().number()).isEqualTo(2);
  }

  private List<Record> rows(long from, long to, String v) {
    List<Record> rows = new ArrayList<>();
    for (long id = from; id < to; id++) {
      rows.add(fixture.row(id, v));
    }
    return rows;
  }
}
