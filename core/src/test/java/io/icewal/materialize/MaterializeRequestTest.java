package io.icewal.materialize;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializeResult.Status;
import io.icewal.table.TestWarehouse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What one small commit asks of the log's store, the table's files and the catalog. One request
/// more or less is a change in cost.
class MaterializeRequestTest {
  private static final int FILES = 4;
  private static final int ROWS = 1_000;

  private static final Schema APPENDS = new Schema(Warehouse.SCHEMA.columns());

  @TempDir private Path folder;
  private Warehouse warehouse;
  private UUID table;

  /// Four data files whose ranges of keys overlap.
  @BeforeEach
  void fill() {
    warehouse = new Warehouse(folder);
    warehouse.create(Warehouse.SCHEMA);
    for (int f = 0; f < FILES; f++) {
      List<List<?>> rows = new ArrayList<>();
      for (long i = 0; i < ROWS; i++) {
        rows.add(List.of(i * FILES + f, "v"));
      }
      warehouse.upsert(rows.toArray(List[]::new));
      warehouse.step();
    }
    table = warehouse.load().uuid();
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  @Test
  void aNewProcessReadsEachCandidateFileAndCommitsOnce() {
    warehouse.upsert(List.of(40L, "a"), List.of(41L, "b"), List.of(-1L, "new"));

    assertThat(asked(warehouse.newProcess()))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                entry("log LIST", 2),
                entry("log GET", 3),
                entry("catalog load", 2),
                entry("catalog commit", 1),
                entry("read metadata", 1),
                entry("length manifest list", 2),
                entry("read manifest list", 2),
                entry("read manifest", FILES),
                entry("read data", FILES),
                entry("write data", 1),
                entry("write vectors", 1),
                entry("write manifest", 2),
                entry("write manifest list", 1),
                entry("write metadata", 1)));
  }

  @Test
  void aProcessThatKnowsTheTableReadsNoDataFile() {
    Materializer process = warehouse.newProcess();
    warehouse.upsert(List.of(40L, "a"), List.of(41L, "b"), List.of(-1L, "new"));
    asked(process);
    warehouse.upsert(List.of(80L, "a"), List.of(81L, "b"), List.of(-2L, "new"));

    assertThat(asked(process))
        .as("two vectors are replaced, and the manifest that holds them")
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                entry("log LIST", 1),
                entry("log GET", 3),
                entry("catalog load", 2),
                entry("catalog commit", 1),
                entry("read metadata", 1),
                entry("length manifest list", 2),
                entry("read manifest list", 2),
                entry("read manifest", 3),
                entry("read vectors", 2),
                entry("write data", 1),
                entry("write vectors", 1),
                entry("write manifest", 3),
                entry("write manifest list", 1),
                entry("write metadata", 1)));
  }

  @Test
  void anAppendReadsNoDataFileEither() {
    warehouse.close();
    warehouse = new Warehouse(folder.resolve("appends"));
    warehouse.create(APPENDS);
    warehouse.upsert(List.of(1L, "a"));
    warehouse.step();
    table = warehouse.load().uuid();
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));

    assertThat(asked(warehouse.newProcess()))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                entry("log LIST", 2),
                entry("log GET", 3),
                entry("catalog load", 2),
                entry("catalog commit", 1),
                entry("read metadata", 1),
                entry("length manifest list", 2),
                entry("read manifest list", 2),
                entry("write data", 1),
                entry("write manifest", 1),
                entry("write manifest list", 1),
                entry("write metadata", 1)));
  }

  /// The requests of one cycle. Opening a file is none: its first read is.
  private Map<String, Integer> asked(Materializer process) {
    warehouse.store.reset();
    warehouse.tables().files().reset();
    warehouse.catalog().reset();

    assertThat(process.step(TestWarehouse.name(), table).status()).isEqualTo(Status.COMMITTED);

    Map<String, Integer> asked = new TreeMap<>(warehouse.tables().files().counts());
    asked.keySet().removeIf(key -> key.startsWith("open "));
    warehouse.catalog().counts().forEach((call, count) -> asked.put("catalog " + call, count));
    warehouse.store.counts().forEach((op, count) -> asked.put("log " + op, count));
    return asked;
  }
}
