package io.icewal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.Position;
import io.icewal.table.AdoptionReport.Outcome;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What adoption makes of a table of another engine.
final class AdoptionTest {
  private static final Function<UUID, Position> END = id -> TestWarehouse.at(7);

  /// As Spark makes it: no key, everything optional.
  private static final Schema SPARK =
      new Schema(
          NestedField.optional(1, "id", Types.LongType.get()),
          NestedField.optional(2, "v", Types.StringType.get()),
          NestedField.optional(
              3, "at", Types.StructType.of(NestedField.optional(4, "n", Types.LongType.get()))));

  @TempDir private Path folder;
  private TestWarehouse warehouse;
  private BufferAllocator allocator;
  private Adoption adoption;

  @BeforeEach
  void open() {
    warehouse = new TestWarehouse(folder);
    allocator = new RootAllocator();
    adoption = new Adoption(warehouse.tables(), allocator, folder.resolve("spill"));
  }

  @AfterEach
  void close() {
    allocator.close();
    warehouse.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aTableOfAnyVersionGetsFormat3PropertiesKeyAndAPositionInOneCommit(int version) {
    ForeignTable foreign = ForeignTable.create(warehouse, version, IcewalTablesTest.SCHEMA);
    foreign.append(List.of(List.of(3L, "c"), List.of(1L, "a")));
    DataFile second = foreign.append(List.of(List.of(2L, "b"), List.of(4L, "gone")));
    if (version > 1) {
      foreign.delete(second, 1);
    } else {
      foreign.load().newDelete().deleteFile(second).commit();
    }
    List<String> rows = warehouse.rows();
    Snapshot before = warehouse.load().currentSnapshot();

    AdoptionReport report = adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END);

    Table table = warehouse.load();
    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(report.position()).isEqualTo(TestWarehouse.at(7));
    assertThat(report.key()).containsExactly("id");
    assertThat(report.rows()).isEqualTo(rows.size());
    assertThat(report.refusals()).isEmpty();
    assertThat(TablePosition.metadata(table).formatVersion()).isEqualTo(3);
    assertThat(table.properties())
        .containsEntry(TableProperties.DELETE_MODE, "merge-on-read")
        .containsEntry(TableProperties.DEFAULT_FILE_FORMAT, "parquet")
        .containsEntry(TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");
    assertThat(table.currentSnapshot().parentId()).isEqualTo(before.snapshotId());
    assertThat(TablePosition.valid(table).orElseThrow().position()).isEqualTo(TestWarehouse.at(7));
    assertThat(TablePosition.valid(table).orElseThrow().sequence())
        .isEqualTo(table.currentSnapshot().sequenceNumber());
    assertThat(warehouse.rows()).isEqualTo(rows);
    assertThat(rowIds()).hasSize(rows.size()).doesNotContain("null");
  }

  @Test
  void anEmptyTableIsAdopted() {
    ForeignTable.create(warehouse, 2, IcewalTablesTest.SCHEMA);

    AdoptionReport report = adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END);

    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(TablePosition.valid(warehouse.load())).isPresent();
  }

  @Test
  void theLogEndIsAskedForTheTablesOwnIdAfterItWasLookedAt() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, IcewalTablesTest.SCHEMA);
    UUID[] asked = new UUID[1];

    adoption.adopt(
        AdoptionRequest.of(TestWarehouse.name()),
        id -> {
          asked[0] = id;
          return TestWarehouse.at(1);
        });

    assertThat(asked[0]).isEqualTo(foreign.load().uuid());
  }

  @Test
  void propertiesThatAreThereStayAndAreToldOf() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, IcewalTablesTest.SCHEMA);
    foreign.load().updateProperties().set(TableProperties.DELETE_MODE, "copy-on-write").commit();

    AdoptionReport report = adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END);

    assertThat(warehouse.load().properties())
        .containsEntry(TableProperties.DELETE_MODE, "copy-on-write")
        .containsEntry(TableProperties.MERGE_MODE, "merge-on-read");
    assertThat(report.warnings())
        .singleElement()
        .asString()
        .contains("write.delete.mode=copy-on-write (new: merge-on-read)");
  }

  @Test
  void anOptionalKeyBecomesRequiredIfItIsAskedForAndNoRowHasANull() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SPARK);
    foreign.append(List.of(row(2L, "b", 5L), row(1L, "a", 5L)));
    AdoptionRequest request =
        AdoptionRequest.of(TestWarehouse.name()).withKey(List.of("at.n", "id")).requiringKey();

    AdoptionReport report = adoption.adopt(request, END);

    Schema schema = warehouse.load().schema();
    assertThat(report.key()).containsExactly("id", "at.n");
    assertThat(schema.identifierFieldNames()).containsExactlyInAnyOrder("id", "at.n");
    assertThat(schema.findField("id").isRequired()).isTrue();
    assertThat(schema.findField("at").isRequired()).isTrue();
    assertThat(schema.findField("at.n").isRequired()).isTrue();
    assertThat(schema.findField("v").isRequired()).isFalse();
    assertThat(report.changes())
        .contains(
            "format version 2 becomes 3",
            "column id becomes required",
            "column at becomes required",
            "column at.n becomes required",
            "identifier fields become [id, at.n]",
            "write.merge.mode=merge-on-read");
    assertThat(warehouse.rows()).hasSize(2);
  }

  @Test
  void aTableWithoutAKeyBecomesAppendOnlyAndIsToldSo() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SPARK);
    foreign.append(List.of(row(1L, "a", 1L), row(1L, "a", 1L), row(null, "a", 1L)));

    AdoptionReport report = adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END);

    assertThat(report.key()).isEmpty();
    assertThat(report.rows()).isEqualTo(3);
    assertThat(report.warnings()).singleElement().asString().contains("append-only");
    assertThat(TablePosition.valid(warehouse.load())).isPresent();
  }

  @ParameterizedTest
  @EnumSource(
      value = FileFormat.class,
      names = {"AVRO", "ORC"})
  void anAppendOnlyTableMayHaveFilesOfOtherFormats(FileFormat format) {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SPARK);
    foreign.append(format, null, List.of(row(1L, "a", 1L)));

    AdoptionReport report = adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END);

    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(warehouse.rows()).hasSize(1);
  }

  @Test
  void adoptingAgainWithTheSameKeyIsSuccessWithoutACommit() {
    ForeignTable.create(warehouse, 2, IcewalTablesTest.SCHEMA);
    adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END);
    Snapshot first = warehouse.load().currentSnapshot();

    AdoptionReport again =
        adoption.adopt(
            AdoptionRequest.of(TestWarehouse.name()).withKey(List.of("id")),
            id -> TestWarehouse.at(99));

    assertThat(again.outcome()).isEqualTo(Outcome.ADOPTED_BEFORE);
    assertThat(again.position()).isEqualTo(TestWarehouse.at(7));
    assertThat(again.changes()).isEmpty();
    assertThat(warehouse.load().currentSnapshot()).isEqualTo(first);
  }

  @Test
  void aTableOfIcewalsOwnIsAdoptedAlready() {
    warehouse.create(IcewalTablesTest.SCHEMA, PartitionSpec.unpartitioned());

    assertThat(adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END).outcome())
        .isEqualTo(Outcome.ADOPTED_BEFORE);
  }

  @Test
  void aReplacedTableBeginsAnewAtTheEndOfTheLog() {
    warehouse.create(IcewalTablesTest.SCHEMA, PartitionSpec.unpartitioned());
    warehouse
        .catalog()
        .buildTable(TestWarehouse.name(), IcewalTablesTest.SCHEMA)
        .withProperty(TableProperties.FORMAT_VERSION, "3")
        .createOrReplaceTransaction()
        .commitTransaction();
    warehouse.append(List.of(List.of(1L, "new")));
    assertThat(TablePosition.valid(warehouse.load())).isEmpty();

    AdoptionReport report = adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END);

    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(TablePosition.valid(warehouse.load()).orElseThrow().position())
        .isEqualTo(TestWarehouse.at(7));
    assertThat(warehouse.rows()).containsExactly("1,new");
  }

  @Test
  void aTableWhoseKeyWasChangedBeginsAnewWithTheNewKey() {
    Table table = warehouse.create(IcewalTablesTest.SCHEMA, PartitionSpec.unpartitioned());
    table
        .updateSchema()
        .allowIncompatibleChanges()
        .requireColumn("v")
        .setIdentifierFields("v")
        .commit();

    AdoptionReport report = adoption.adopt(AdoptionRequest.of(TestWarehouse.name()), END);

    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(report.key()).containsExactly("v");
  }

  @Test
  void aLookTellsWhatWouldBeDoneAndChangesNothing() {
    ForeignTable foreign = ForeignTable.create(warehouse, 1, IcewalTablesTest.SCHEMA);
    foreign.append(List.of(List.of(1L, "a")));
    String before = TablePosition.metadata(foreign.load()).metadataFileLocation();

    AdoptionReport report = adoption.check(AdoptionRequest.of(TestWarehouse.name()), END);

    assertThat(report.outcome()).isEqualTo(Outcome.POSSIBLE);
    assertThat(report.changes()).contains("format version 1 becomes 3");
    assertThat(report.position()).isNull();
    assertThat(report.dataFiles()).isEqualTo(1);
    assertThat(TablePosition.metadata(foreign.load()).metadataFileLocation()).isEqualTo(before);
  }

  @Test
  void partitioningOutsideTheKeyIsWarnedAboutButNotAVoidedPartitionField() {
    Schema schema = IcewalTablesTest.SCHEMA;
    ForeignTable foreign =
        ForeignTable.create(
            warehouse.catalog(),
            TestWarehouse.name(),
            1,
            schema,
            PartitionSpec.builderFor(schema).identity("v").build(),
            Map.of());
    assertThat(adoption.check(AdoptionRequest.of(TestWarehouse.name()), END).warnings())
        .singleElement()
        .asString()
        .contains("partitioned by v");
    foreign.load().updateSpec().removeField("v").commit();

    assertThat(adoption.check(AdoptionRequest.of(TestWarehouse.name()), END).warnings()).isEmpty();
  }

  @Test
  void nothingIsLeftInTheSpillFolder() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, IcewalTablesTest.SCHEMA);
    foreign.append(List.of(List.of(1L, "a"), List.of(2L, "b")));
    Adoption spilling =
        new Adoption(
            warehouse.tables(),
            new AdoptionServices(allocator, folder.resolve("spill"), 1),
            table -> table);

    assertThat(spilling.adopt(AdoptionRequest.of(TestWarehouse.name()), END).outcome())
        .isEqualTo(Outcome.ADOPTED);
    assertThat(folder.resolve("spill")).isEmptyDirectory();
  }

  private Set<String> rowIds() {
    return new HashSet<>(warehouse.rows(new Schema(MetadataColumns.ROW_ID)));
  }

  private static List<Object> row(Object id, String v, Long n) {
    org.apache.iceberg.data.GenericRecord at =
        org.apache.iceberg.data.GenericRecord.create(SPARK.findType("at").asStructType());
    at.set(0, n);
    return Arrays.asList(id, v, at);
  }
}
