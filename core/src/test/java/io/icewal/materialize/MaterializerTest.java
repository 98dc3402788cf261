package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.materialize.MaterializeResult.Status;
import io.icewal.model.RowOp;
import io.icewal.table.TablePosition;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MaterializerTest {
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
  void rowsGoFromTheLogIntoTheTable() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(2L, "b"), List.of(1L, "a"));

    MaterializeResult result = warehouse.step();

    assertThat(result.status()).isEqualTo(Status.COMMITTED);
    assertThat(result.rows()).isEqualTo(2);
    assertThat(result.position()).isEqualTo(warehouse.end());
    assertThat(result.tableId()).isEqualTo(warehouse.load().uuid());
    assertThat(warehouse.rows()).containsExactly("1,a", "2,b");
    assertThat(warehouse.position()).isEqualTo(warehouse.end());
    assertThat(warehouse.step().status()).isEqualTo(Status.NOTHING_TO_DO);
  }

  // b001, b010
  @Test
  void b001_severalVersionsOfAKeyInOneCycleLeaveTheNewest() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(1L, "b"));
    warehouse.upsert(List.of(1L, "c"));
    warehouse.upsert(List.of(1L, "d"));

    assertThat(warehouse.materializeAll()).containsExactly("1,d");
  }

  // b005
  @Test
  void b005_aKeyThatIsNotTheFirstColumnIsFound() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.optional(1, "v", Types.StringType.get()),
                NestedField.required(2, "id", Types.LongType.get()),
                NestedField.optional(3, "w", Types.StringType.get())),
            Set.of(2));
    warehouse.create(schema);
    warehouse.upsert(List.of("a", 1L, "x"));
    warehouse.step();
    warehouse.upsert(List.of("b", 1L, "y"));

    assertThat(warehouse.materializeAll()).containsExactly("b,1,y");
  }

  // b007
  @Test
  void b007_anAppendOnlyTableKeepsEveryRow() {
    warehouse.create(new Schema(SCHEMA.columns()));
    warehouse.upsert(List.of(1L, "a"), List.of(1L, "a"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "a"));
    warehouse.upsert(List.of(1L, "a"));

    assertThat(warehouse.materializeAll()).containsExactly("1,a", "1,a", "1,a", "1,a");
  }

  // b008
  @Test
  void b008_insertDeleteInsertEndsAsPresentHoweverItIsCut() {
    warehouse.create(SCHEMA);
    warehouse.mixed(
        new byte[] {RowOp.UPSERT, RowOp.DELETE, RowOp.UPSERT},
        List.of(1L, "a"),
        Arrays.asList(1L, null),
        List.of(1L, "b"));
    warehouse.upsert(List.of(2L, "a"));
    warehouse.delete(List.of(2L));
    warehouse.upsert(List.of(2L, "b"));
    warehouse.step();
    for (Runnable part :
        List.<Runnable>of(
            () -> warehouse.upsert(List.of(3L, "a")),
            () -> warehouse.delete(List.of(3L)),
            () -> warehouse.upsert(List.of(3L, "b")))) {
      part.run();
      warehouse.step();
    }

    assertThat(warehouse.rows()).containsExactly("1,b", "2,b", "3,b");
  }

  // b023
  @Test
  void b023_aCycleOfDeletesOnlyIsCommitted() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    warehouse.step();
    long before = warehouse.load().currentSnapshot().snapshotId();
    warehouse.delete(List.of(1L), List.of(7L));

    assertThat(warehouse.materializeAll()).containsExactly("2,b");
    assertThat(warehouse.load().currentSnapshot().snapshotId()).isNotEqualTo(before);
  }

  // b025
  @Test
  void b025_deletesOfThreeCyclesAddUpInOneVector() {
    warehouse.create(SCHEMA);
    warehouse.upsert(
        List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c"), List.of(4L, "d"), List.of(5L, "e"));
    warehouse.step();
    for (long id : new long[] {2, 4, 1}) {
      warehouse.delete(List.of(id));
      warehouse.step();
    }

    assertThat(warehouse.rows()).containsExactly("3,c", "5,e");
    assertThat(warehouse.vectors())
        .singleElement()
        .satisfies(v -> assertThat(v.recordCount()).isEqualTo(3));
  }

  @Test
  void flushBlocksAndRepeatsMoveThePositionWithAnEmptySnapshot() {
    warehouse.create(SCHEMA);
    long before = warehouse.load().currentSnapshot().snapshotId();
    warehouse.flush();

    assertThat(warehouse.step().status()).isEqualTo(Status.COMMITTED);

    Snapshot now = warehouse.load().currentSnapshot();
    assertThat(now.parentId()).isEqualTo(before);
    assertThat(warehouse.position()).isEqualTo(warehouse.end());
    assertThat(now.summary()).containsEntry(TablePosition.SUMMARY, warehouse.end().toString());
  }

  @Test
  void truncationRemovesAllRowsBeforeIt() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    warehouse.step();
    warehouse.upsert(List.of(3L, "c"));
    warehouse.truncate();
    warehouse.upsert(List.of(2L, "new"));

    assertThat(warehouse.materializeAll()).containsExactly("2,new");
    assertThat(warehouse.vectors()).isEmpty();
  }

  @Test
  void truncationOfAnAppendOnlyTableRemovesAllRowsBeforeIt() {
    warehouse.create(new Schema(SCHEMA.columns()));
    warehouse.upsert(List.of(1L, "a"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "b"));
    warehouse.truncate();
    warehouse.upsert(List.of(1L, "c"));

    assertThat(warehouse.materializeAll()).containsExactly("1,c");
  }

  // b047
  @Test
  void b047_anUpdateKeepsTheRowIdAndARebornRowGetsANewOne() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c"));
    warehouse.step();
    assertThat(warehouse.rowsWithIds()).containsExactly("1,a,0", "2,b,1", "3,c,2");

    warehouse.upsert(List.of(2L, "b2"), List.of(4L, "d"));
    warehouse.delete(List.of(1L));
    warehouse.upsert(List.of(1L, "a2"));
    warehouse.step();

    assertThat(warehouse.rowsWithIds()).contains("2,b2,1", "3,c,2").doesNotContain("1,a2,0");
    warehouse.upsert(List.of(2L, "b3"));
    warehouse.step();
    assertThat(warehouse.rowsWithIds()).contains("2,b3,1");
    assertThat(warehouse.ids()).doesNotHaveDuplicates();
  }

  @Test
  void filesWithoutUpdatesStoreNoLineageColumns() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse.step();
    warehouse.upsert(List.of(1L, "a2"));
    warehouse.step();

    assertThat(warehouse.files())
        .singleElement()
        .satisfies(
            file -> assertThat(file.valueCounts()).containsKey(MetadataColumns.ROW_ID.fieldId()));
    warehouse.upsert(List.of(9L, "new"));
    warehouse.step();
    assertThat(warehouse.files())
        .anySatisfy(
            file ->
                assertThat(file.valueCounts()).doesNotContainKey(MetadataColumns.ROW_ID.fieldId()));
  }
}
