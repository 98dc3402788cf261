package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.icewal.JavaProcess;
import io.icewal.model.ArrowSchemas;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What it takes to upsert a few keys into a large table, whole and cold: a process of 256 MB that
/// has seen neither table nor log. The cost follows the batch, not the table.
@Tag("slow")
class ColdUpsertTest {
  private static final int FILES = 20;
  private static final int FILE_ROWS = 100_000;
  private static final int UPSERTS = 1_000;

  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "s", Types.StringType.get()),
              NestedField.optional(3, "d", Types.DoubleType.get())),
          Set.of(1));

  private final SplittableRandom random = new SplittableRandom(7);

  @TempDir private Path folder;

  @Test
  void aThousandKeysIntoTwoMillionRowsReadAFractionOfTheTable() {
    long[] ids = shuffled(FILES * FILE_ROWS);
    try (Warehouse warehouse = ColdUpsert.open(folder)) {
      warehouse.create(SCHEMA);
      for (int f = 0; f < FILES; f++) {
        warehouse.upsert(rows(warehouse, ids, f * FILE_ROWS, FILE_ROWS));
        warehouse.step();
      }
      warehouse.upsert(rows(warehouse, ids, 0, UPSERTS));
    }

    Map<String, String> took = run();

    assertThat(took).containsEntry("status", "COMMITTED").containsEntry("rows", "1000");
    assertThat(took).as("footer and key pages of each file").containsEntry("read data", "40");
    assertThat(took).containsEntry("read manifest", "20").containsEntry("read metadata", "1");
    // Of the 16 MB that the keys have as they are, of about 80 MB of data files.
    assertBytes(took, "data", 3_607_000);
    assertBytes(took, "manifest", 160_000);
    assertBytes(took, "manifest list", 11_400);
    assertBytes(took, "metadata", 22_600);
    assertBytes(took, "log", 23_100);
  }

  /// Names of files, and so the bytes that name them, have no fixed length.
  private static void assertBytes(Map<String, String> took, String kind, long expected) {
    assertThat(Long.parseLong(took.get("bytes " + kind)))
        .as("bytes of %s read", kind)
        .isCloseTo(expected, withinPercentage(4));
  }

  private Map<String, String> run() {
    try (JavaProcess process =
        JavaProcess.start(
            folder.resolve("output"),
            List.of("-Xmx256m", "-XX:+UseSerialGC"),
            ColdUpsert.class.getName(),
            folder.toString())) {
      assertThat(process.awaitEnd()).as(() -> process.lines().toString()).isZero();
      Map<String, String> out = new HashMap<>();
      for (String line : process.lines()) {
        int at = line.indexOf('=');
        out.put(line.substring(0, at), line.substring(at + 1));
      }
      return out;
    }
  }

  private long[] shuffled(int count) {
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      int other = random.nextInt(i + 1);
      ids[i] = ids[other];
      ids[other] = i;
    }
    return ids;
  }

  private VectorSchemaRoot rows(Warehouse warehouse, long[] ids, int from, int count) {
    VectorSchemaRoot root =
        VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), warehouse.allocator());
    BigIntVector id = (BigIntVector) root.getVector("id");
    VarCharVector s = (VarCharVector) root.getVector("s");
    Float8Vector d = (Float8Vector) root.getVector("d");
    id.allocateNew(count);
    s.allocateNew(count * 20L, count);
    d.allocateNew(count);
    for (int i = 0; i < count; i++) {
      id.set(i, ids[from + i]);
      s.setSafe(
          i,
          Long.toString(random.nextLong(), Character.MAX_RADIX).getBytes(StandardCharsets.UTF_8));
      d.set(i, random.nextInt(1 << 30) / 64.0);
    }
    root.setRowCount(count);
    return root;
  }
}
