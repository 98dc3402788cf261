package io.icewal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.parquet.ArrowRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeyCensusTest {
  @TempDir private Path folder;

  @Test
  void numbersAreCountedAsInAMapWhateverTheMemory() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      check(Types.LongType.get(), random, () -> (long) random.nextInt(2_000) - 1_000, seed);
    }
  }

  @Test
  void textsAreCountedAsInAMapWhateverTheMemory() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      check(
          Types.StringType.get(),
          random,
          () -> "key\0with".substring(0, random.nextInt(9)) + random.nextInt(1_000),
          seed);
    }
  }

  @Test
  void moreRunsThanAreMergedAtOnceAreMergedInBetween() {
    KeyColumns key = key(Types.LongType.get());
    try (KeyCensus census = new KeyCensus(key, folder, 1)) {
      for (long i = 0; i < 600; i++) {
        census.add(KeyVector.ofPrefixes(new long[] {i % 599}));
        assertThat(census.runs()).isLessThan(256);
      }

      KeyDuplicates found = census.duplicates();
      assertThat(found.keys()).isEqualTo(1);
      assertThat(found.surplus()).isEqualTo(1);
      assertThat(found.examples().prefix(0)).isZero();
    }
    assertThat(folder).isEmptyDirectory();
  }

  private interface Values {
    Object next();
  }

  private void check(Type type, Random random, Values values, long seed) {
    KeyColumns key = key(type);
    TreeMap<String, Long> counts = new TreeMap<>();
    long bytesMax = random.nextBoolean() ? 1 << 20 : 1 + random.nextInt(5_000);
    try (BufferAllocator allocator = new RootAllocator();
        KeyCensus census = new KeyCensus(key, folder, bytesMax)) {
      for (int batch = random.nextInt(10); batch >= 0; batch--) {
        List<Record> rows = new ArrayList<>();
        for (int i = random.nextInt(200); i > 0; i--) {
          Record row = GenericRecord.create(key.keySchema());
          row.set(0, values.next());
          rows.add(row);
        }
        census.add(keys(key, rows, allocator, counts));
        compare(key, census.duplicates(), counts, seed);
      }
    }
    assertThat(folder).isEmptyDirectory();
  }

  private static KeyVector keys(
      KeyColumns key, List<Record> rows, BufferAllocator allocator, Map<String, Long> counts) {
    try (VectorSchemaRoot root = ArrowRecords.toArrow(key.keySchema(), rows, allocator)) {
      KeyVector keys = key.encode(root);
      for (int i = 0; i < keys.size(); i++) {
        String text = key.text(keys.bytes(i));
        assertThat(text).isEqualTo("k=" + rows.get(i).get(0));
        counts.merge(text, 1L, Long::sum);
      }
      return keys;
    }
  }

  private static void compare(
      KeyColumns key, KeyDuplicates found, Map<String, Long> counts, long seed) {
    counts = new TreeMap<>(counts);
    counts.values().removeIf(count -> count == 1);
    assertThat(found.keys()).as("seed %d", seed).isEqualTo(counts.size());
    assertThat(found.surplus())
        .as("seed %d", seed)
        .isEqualTo(counts.values().stream().mapToLong(count -> count - 1).sum());
    assertThat(found.counts()).hasSize(Math.min(counts.size(), 5));
    for (int i = 0; i < found.counts().length; i++) {
      assertThat(found.counts()[i])
          .as("seed %d", seed)
          .isEqualTo(counts.get(key.text(found.examples().bytes(i))));
    }
  }

  private static KeyColumns key(Type type) {
    return KeyColumns.of(new Schema(List.of(NestedField.required(1, "k", type)), Set.of(1)));
  }
}
