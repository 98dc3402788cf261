package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializeResult.Status;
import io.icewal.model.BlockKind;
import io.icewal.wal.AppendBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tails are cut into cycles, and what is too large for memory is sorted on disk.
final class MaterializeRunsTest {
  private static final Schema SCHEMA = Warehouse.SCHEMA;

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
  void longTailsAreTakenInCycles() {
    warehouse.create(SCHEMA);
    warehouse.limitCycles(1);
    for (long i = 0; i < 5; i++) {
      warehouse.upsert(List.of(i % 2, "v" + i));
    }

    MaterializeResult first = warehouse.step();

    assertThat(first.more()).isTrue();
    assertThat(first.position()).isEqualTo(warehouse.root().log(0).at(1));
    assertThat(warehouse.materializeAll()).containsExactly("0,v4", "1,v3");
    assertThat(warehouse.position()).isEqualTo(warehouse.end());
  }

  // A segment that is larger than a cycle may hold in memory works in sorted runs on disk.
  @Test
  void aHugeSegmentIsSortedInRunsOnDisk() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "old"), List.of(2L, "old"), List.of(3L, "old"));
    warehouse.step();
    warehouse.limitCycles(1);
    Table table = warehouse.load();
    Schema schema = table.schema();
    warehouse.append(
        List.of(
            warehouse.batch(
                table, BlockKind.UPSERT, schema, List.of(List.of(1L, "a"), List.of(4L, "a")), null),
            warehouse.batch(
                table,
                BlockKind.DELETE,
                new Schema(schema.findField("id")),
                List.of(List.of(4L), List.of(2L)),
                null),
            warehouse.batch(
                table,
                BlockKind.UPSERT,
                schema,
                List.of(List.of(2L, "b"), List.of(1L, "c")),
                null)));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("1,c", "2,b", "3,old");
    assertThat(warehouse.rowsWithIds()).contains("1,c,0", "3,old,2").doesNotContain("2,b,1");
    assertThat(folder.resolve("spill")).isEmptyDirectory();
  }

  @Test
  void aHugeSegmentOfAnAppendOnlyTableIsWrittenInPartsAndCommittedAtOnce() {
    warehouse.create(new Schema(SCHEMA.columns()));
    warehouse.limitCycles(1);
    Table table = warehouse.load();
    Schema schema = table.schema();
    warehouse.append(
        List.of(
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(1L, "a")), null),
            warehouse.batch(table, BlockKind.TRUNCATE, schema, List.of(), null),
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(2L, "b")), null),
            warehouse.batch(table, BlockKind.FLUSH, schema, List.of(), null),
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(3L, "c")), null)));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("2,b", "3,c");
    assertThat(warehouse.files()).hasSize(2);
  }

  @Test
  void aHugeSegmentThatTruncatesKeepsWhatCameAfter() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "old"), List.of(9L, "old"));
    warehouse.step();
    warehouse.limitCycles(1);
    Table table = warehouse.load();
    Schema schema = table.schema();
    warehouse.append(
        List.of(
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(2L, "a")), null),
            warehouse.batch(table, BlockKind.TRUNCATE, schema, List.of(), null),
            warehouse.batch(table, BlockKind.FLUSH, schema, List.of(), null),
            warehouse.batch(table, BlockKind.UPSERT, schema, List.of(List.of(1L, "b")), null)));

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    assertThat(warehouse.rows()).containsExactly("1,b");
    assertThat(warehouse.rowsWithIds()).doesNotContain("1,b,0");
  }

  // b217: a run of few, wide rows is one batch by its rows alone; all of them were held at once.
  @ParameterizedTest
  @ValueSource(ints = {40, 100_000})
  void b217_manyRunsOfWideRowsAreMergedInBoundedMemory(int keys) {
    warehouse.create(SCHEMA);
    warehouse.limitCycles(500_000);
    Table table = warehouse.load();
    Random random = new Random(5);
    TreeMap<Long, String> expected = new TreeMap<>();
    List<AppendBatch> batches = new ArrayList<>();
    for (int b = 0; b < 60; b++) {
      List<List<Object>> rows = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        long key = random.nextInt(keys);
        String value = b + "-" + i + "-" + "x".repeat(10_000);
        rows.add(List.of(key, value));
        expected.put(key, value);
      }
      batches.add(warehouse.batch(table, BlockKind.UPSERT, table.schema(), rows, null));
      batches.add(warehouse.batch(table, BlockKind.FLUSH, table.schema(), List.of(), null));
    }
    warehouse.append(batches);

    assertThat(warehouse.stepWithin(8_000_000).status()).isEqualTo(Status.COMMITTED);

    List<String> rows = new ArrayList<>();
    expected.forEach((key, value) -> rows.add(key + "," + value));
    assertThat(warehouse.rows()).containsExactlyInAnyOrderElementsOf(rows);
  }

  // A run file is larger than one batch, and a chunk smaller than all keys.
  @Test
  void manyRowsInRunsMatchAMap() {
    warehouse.create(SCHEMA);
    warehouse.limitCycles(60_000);
    Random random = new Random(11);
    TreeMap<Long, String> expected = new TreeMap<>();
    for (int segment = 0; segment < 2; segment++) {
      Table table = warehouse.load();
      List<AppendBatch> batches = new ArrayList<>();
      for (int b = 0; b < 6; b++) {
        List<List<Object>> rows = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
          long key = random.nextInt(20_000);
          rows.add(List.of(key, segment + "-" + b + "-" + i));
          expected.put(key, segment + "-" + b + "-" + i);
        }
        batches.add(warehouse.batch(table, BlockKind.UPSERT, table.schema(), rows, null));
        batches.add(warehouse.batch(table, BlockKind.FLUSH, table.schema(), List.of(), null));
      }
      warehouse.append(batches);
    }

    assertThat(warehouse.materializeAll())
        .containsExactlyInAnyOrderElementsOf(
            expected.entrySet().stream().map(e -> e.getKey() + "," + e.getValue()).toList());
    assertThat(warehouse.ids()).doesNotHaveDuplicates();
  }

  @Test
  void randomHistoriesMatchAMapHoweverTheyAreCut() {
    for (int seed = 0; seed < 6; seed++) {
      try (Warehouse one = new Warehouse(folder.resolve("seed" + seed))) {
        one.create(SCHEMA);
        TreeMap<Long, String> expected = new TreeMap<>();
        Random random = new Random(seed);
        for (int i = 0; i < 25; i++) {
          randomBatch(one, random, expected, "v" + i);
          if (random.nextInt(3) == 0) {
            one.step(random.nextBoolean() ? one.cold() : one.without("lookAfterUnknown"));
          }
          if (random.nextInt(8) == 0) {
            one.compact();
          }
        }
        assertThat(one.materializeAll())
            .as("seed " + seed)
            .containsExactlyInAnyOrderElementsOf(
                expected.entrySet().stream().map(e -> e.getKey() + "," + e.getValue()).toList());
      }
    }
  }

  private static void randomBatch(
      Warehouse one, Random random, TreeMap<Long, String> expected, String value) {
    long key = random.nextInt(12);
    int kind = random.nextInt(10);
    if (kind == 0) {
      one.truncate();
      expected.clear();
    } else if (kind < 4) {
      one.delete(List.of(key));
      expected.remove(key);
    } else {
      one.upsert(List.of(key, value), List.of(key + 1, value), List.of(key, value + "!"));
      expected.put(key + 1, value);
      expected.put(key, value + "!");
    }
  }
}
