package io.icewal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TablePositionTest {
  private static final Schema SCHEMA = IcewalTablesTest.SCHEMA;

  @TempDir private Path folder;
  private TestWarehouse warehouse;
  private Table table;

  @BeforeEach
  void open() {
    warehouse = new TestWarehouse(folder);
    table = warehouse.create(SCHEMA, PartitionSpec.unpartitioned());
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  @Test
  void theTextFormReadsBack() {
    TablePosition position = TablePosition.read(table).orElseThrow();

    assertThat(table.properties())
        .containsEntry(TablePosition.PROPERTY, position.toString())
        .extractingByKey(TablePosition.PROPERTY)
        .asString()
        .isEqualTo(TestWarehouse.LOG + "/0;table=" + table.uuid() + ";sequence=1;key=1");
  }

  @Test
  void anUnreadablePropertyIsLoud() {
    table.updateProperties().set(TablePosition.PROPERTY, "0/200").commit();

    assertThatThrownBy(() -> TablePosition.valid(warehouse.load()))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CORRUPT));
  }

  // b175
  @Test
  void aCopiedPropertyDoesNotMakeAnotherTableIcewals() {
    Table other =
        warehouse
            .catalog()
            .buildTable(TableIdentifier.of("ns", "copy"), SCHEMA)
            .withProperties(table.properties())
            .create();
    other.newAppend().commit();

    assertThat(TablePosition.whyReplaced(other)).contains("copy from table " + table.uuid());
  }

  @Test
  void replaceThatKeepsThePropertyIsNoticedByItsNewRoot() {
    Transaction replace =
        warehouse
            .catalog()
            .buildTable(TestWarehouse.name(), SCHEMA)
            .withProperties(table.properties())
            .replaceTransaction();
    replace.newAppend().appendFile(TestWarehouse.write(table, List.of(List.of(1L, "a")))).commit();
    replace.commitTransaction();

    assertThat(warehouse.load().uuid()).isEqualTo(table.uuid());
    assertThat(TablePosition.whyReplaced(warehouse.load())).contains("history begins");
  }

  @Test
  void replaceThatLeavesMainEmptyOrDropsThePropertyIsNoticed() {
    warehouse
        .catalog()
        .buildTable(TestWarehouse.name(), SCHEMA)
        .withProperties(table.properties())
        .replaceTransaction()
        .commitTransaction();
    assertThat(TablePosition.whyReplaced(warehouse.load())).isNotNull();

    warehouse.load().updateProperties().remove(TablePosition.PROPERTY).commit();
    assertThat(TablePosition.whyReplaced(warehouse.load())).contains("no property");
  }

  @Test
  void aChangedKeyCountsAsReplacedUntilItIsChangedBack() {
    table
        .updateSchema()
        .allowIncompatibleChanges()
        .addRequiredColumn("b", Types.LongType.get())
        .setIdentifierFields("id", "b")
        .commit();
    assertThat(TablePosition.whyReplaced(warehouse.load())).contains("key was changed");

    warehouse.load().updateSchema().setIdentifierFields("id").commit();
    assertThat(TablePosition.valid(warehouse.load())).isPresent();
  }

  @Test
  void adoptionMakesAReplacedTableValidAgain() {
    warehouse
        .catalog()
        .buildTable(TestWarehouse.name(), SCHEMA)
        .replaceTransaction()
        .commitTransaction();

    warehouse.adopt(TestWarehouse.at(9));

    assertThat(TablePosition.valid(warehouse.load()))
        .get()
        .satisfies(p -> assertThat(p.position()).isEqualTo(TestWarehouse.at(9)));
  }

  // b176, b178: commits of others, expiry and rollback leave the position alone.
  @Test
  void b176_foreignCommitsExpiryAndRollbackKeepThePosition() {
    for (int i = 0; i < 4; i++) {
      warehouse.append(List.of(List.of((long) i, "x")));
    }
    Snapshot middle = warehouse.load().snapshot(warehouse.load().currentSnapshot().parentId());
    warehouse.load().manageSnapshots().rollbackTo(middle.snapshotId()).commit();
    assertThat(TablePosition.valid(warehouse.load())).isPresent();

    warehouse.load().expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
    assertThat(TablePosition.valid(warehouse.load())).isPresent();
    assertThat(warehouse.load().snapshots()).hasSize(1);
  }

  @Test
  void twoStepReplacementBySimilarSchemaIsNoticedToo() {
    Transaction replace =
        warehouse.catalog().buildTable(TestWarehouse.name(), SCHEMA).replaceTransaction();
    replace.commitTransaction();
    warehouse.load().updateProperties().set("x", "y").commit();

    assertThat(TablePosition.isReplaced(warehouse.load())).isTrue();
    assertThat(Map.copyOf(warehouse.load().properties())).containsEntry("x", "y");
  }
}
