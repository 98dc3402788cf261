package io.icewal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.LocalFileIO;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IcewalTablesTest {
  static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

  @TempDir private Path folder;
  private TestWarehouse warehouse;

  @BeforeEach
  void open() {
    warehouse = new TestWarehouse(folder);
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  @Test
  void aNewTableHasFormat3KeyPositionAndAnEmptySnapshot() {
    CreatedTable created =
        warehouse
            .tables()
            .create(
                TestWarehouse.name(),
                SCHEMA,
                PartitionSpec.unpartitioned(),
                Map.of(),
                id -> TestWarehouse.at(7));

    Table table = created.table();
    assertThat(created.warnings()).isEmpty();
    assertThat(TablePosition.metadata(table).formatVersion()).isEqualTo(3);
    assertThat(table.schema().identifierFieldNames()).containsExactly("id");
    assertThat(table.currentSnapshot()).isNotNull();
    assertThat(table.properties())
        .containsEntry(TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");
    TablePosition position = TablePosition.valid(table).orElseThrow();
    assertThat(position.position()).isEqualTo(TestWarehouse.at(7));
    assertThat(position.tableId()).isEqualTo(table.uuid());
    assertThat(position.sequence()).isEqualTo(table.currentSnapshot().sequenceNumber());
    assertThat(warehouse.rows()).isEmpty();
  }

  @Test
  void aTableOfARenamedOnesNameHasAFolderOfItsOwn() throws IOException {
    Catalog catalog = IcewalConfig.embedded(folder.resolve("embedded")).openCatalog();
    TableIdentifier name = TableIdentifier.of("ns", "t");
    Table first = create(catalog, name);
    catalog.renameTable(name, TableIdentifier.of("ns", "renamed"));

    Table second = create(catalog, name);

    assertThat(first.location()).endsWith("/ns/t");
    assertThat(second.location()).startsWith(first.location() + "-");
    assertThat(create(catalog, TableIdentifier.of("ns", "t-")).location()).endsWith("/ns/t-");
    ((Closeable) catalog).close();
  }

  private static Table create(Catalog catalog, TableIdentifier name) {
    return new IcewalTables(catalog)
        .create(name, SCHEMA, PartitionSpec.unpartitioned(), Map.of(), id -> TestWarehouse.at(0))
        .table();
  }

  @Test
  void theLogIsAskedForTheTablesOwnId() {
    UUID[] asked = new UUID[1];
    CreatedTable created =
        warehouse
            .tables()
            .create(
                TestWarehouse.name(),
                SCHEMA,
                PartitionSpec.unpartitioned(),
                Map.of(),
                id -> {
                  asked[0] = id;
                  return TestWarehouse.at(1);
                });

    assertThat(asked[0]).isEqualTo(created.table().uuid());
  }

  @Test
  void creatingATableTwiceIsRefused() {
    warehouse.create(SCHEMA, PartitionSpec.unpartitioned());

    assertInvalid(() -> warehouse.create(SCHEMA, PartitionSpec.unpartitioned()), "exists");
  }

  // b112
  @Test
  void b112_namesThatCannotRoundTripAreRefused() {
    for (String name :
        List.of("_op", "_OP", "_file", "_pos", "_row_id", "_deleted", "_partition")) {
      assertInvalid(() -> createWith(name, Types.StringType.get()), "'" + name + "'");
    }
    createWith("file_path", Types.StringType.get());
    assertThat(warehouse.load().schema().findField("file_path")).isNotNull();
  }

  /// b115: what a catalog would join, or a file system resolve, into another table's name or
  /// folder.
  @Test
  void b115_namesThatCouldBeTakenForOthersAreRefused() {
    TableIdentifier[] bad = {
      TableIdentifier.of(Namespace.of("a.b"), "x"),
      TableIdentifier.of("a", "b/x"),
      TableIdentifier.of("a/b", "x"),
      TableIdentifier.of("a", ".."),
      TableIdentifier.of("..", "x"),
      TableIdentifier.of("a", "."),
      TableIdentifier.of("a", "x\ny")
    };
    for (TableIdentifier name : bad) {
      assertInvalid(() -> create(name), "table '" + name + "'");
    }
  }

  /// b115: each of these names is a table of its own in a folder of its own.
  @Test
  void b115_namesThatLookAlikeAreTablesAndFoldersOfTheirOwn() {
    Set<String> locations = new HashSet<>();
    Set<UUID> ids = new HashSet<>();
    List<TableIdentifier> names = new ArrayList<>();
    for (String name :
        List.of("x", "x.y", "x y", "x%20y", "x y%2F", "%78", "X", "\u00e9", "e\u0301", "日本")) {
      names.add(TableIdentifier.of(Namespace.of("a", "b"), name));
    }
    names.add(TableIdentifier.of("a", "b.x"));
    names.add(TableIdentifier.of(Namespace.of("a", "b", "x"), "y"));
    for (TableIdentifier name : names) {
      Table table = create(name);
      locations.add(LocalFileIO.path(table.location()).toString());
      ids.add(table.uuid());
      assertThat(LocalFileIO.path(table.location())).isDirectory();
    }

    assertThat(locations).hasSameSizeAs(names);
    assertThat(ids).hasSameSizeAs(names);
    for (TableIdentifier name : names) {
      UUID id = warehouse.load(name).uuid();
      assertThat(warehouse.tables().find(id, TestWarehouse.name(), 100))
          .isInstanceOfSatisfying(
              TableSearch.Found.class, found -> assertThat(found.name()).isEqualTo(name));
    }
  }

  private Table create(TableIdentifier name) {
    return warehouse
        .tables()
        .create(name, SCHEMA, PartitionSpec.unpartitioned(), Map.of(), id -> TestWarehouse.at(0))
        .table();
  }

  @Test
  void variantIsRefused() {
    assertInvalid(() -> createWith("x", Types.VariantType.get()), "variant");
  }

  @Test
  void thePositionCannotBeSetByHand() {
    assertInvalid(
        () ->
            warehouse
                .tables()
                .create(
                    TestWarehouse.name(),
                    SCHEMA,
                    PartitionSpec.unpartitioned(),
                    Map.of(TablePosition.PROPERTY, "x"),
                    id -> TestWarehouse.at(0)),
        TablePosition.PROPERTY);
  }

  @Test
  void partitioningOutsideTheKeyIsWarnedAbout() {
    PartitionSpec outside = PartitionSpec.builderFor(SCHEMA).identity("v").build();
    PartitionSpec inside = PartitionSpec.builderFor(SCHEMA).bucket("id", 4).build();

    assertThat(TableRules.warnings(SCHEMA, outside)).singleElement().asString().contains("v");
    assertThat(TableRules.warnings(SCHEMA, inside)).isEmpty();
    assertThat(TableRules.warnings(new Schema(SCHEMA.columns()), outside)).isEmpty();
  }

  @Test
  void typesThatNoDataFileHoldsAreRefused() {
    Type unknown = Types.UnknownType.get();
    Type empty = Types.StructType.of(NestedField.optional(7, "u", unknown));
    for (Type type :
        List.of(
            empty,
            Types.StructType.of(),
            Types.ListType.ofOptional(3, unknown),
            Types.ListType.ofOptional(3, empty),
            Types.MapType.ofOptional(3, 4, Types.StringType.get(), unknown))) {
      assertInvalid(() -> createWith("s", type), "'s");
    }
    assertInvalid(
        () ->
            warehouse.create(
                new Schema(NestedField.optional(1, "u", unknown)), PartitionSpec.unpartitioned()),
        "the table");
    createWith(
        "s",
        Types.StructType.of(
            NestedField.optional(7, "u", unknown),
            NestedField.optional(8, "x", Types.LongType.get())));
  }

  @Test
  void encryptedTablesAreRefused() {
    assertInvalid(
        () ->
            warehouse
                .tables()
                .create(
                    TestWarehouse.name(),
                    SCHEMA,
                    PartitionSpec.unpartitioned(),
                    Map.of("encryption.key-id", "k"),
                    id -> TestWarehouse.at(0)),
        "encryption.key-id");
  }

  @Test
  void aTableIsFoundByItsIdAfterARename() {
    Table table = warehouse.create(SCHEMA, PartitionSpec.unpartitioned());
    TableIdentifier renamed = TableIdentifier.of("ns", "renamed");
    warehouse.catalog().renameTable(TestWarehouse.name(), renamed);
    Table other = warehouse.create(SCHEMA, PartitionSpec.unpartitioned());

    assertThat(warehouse.tables().find(table.uuid(), TestWarehouse.name(), 100))
        .isInstanceOfSatisfying(
            TableSearch.Found.class, found -> assertThat(found.name()).isEqualTo(renamed));
    assertThat(warehouse.tables().find(other.uuid(), TestWarehouse.name(), 0))
        .isInstanceOf(TableSearch.Found.class);
    assertThat(warehouse.tables().find(new UUID(0, 0), TestWarehouse.name(), 100))
        .isInstanceOf(TableSearch.Gone.class);
  }

  @Test
  void aTableIsNotGoneWhileSomeTablesWereNotLookedAt() {
    Table table = warehouse.create(SCHEMA, PartitionSpec.unpartitioned());
    warehouse.catalog().renameTable(TestWarehouse.name(), TableIdentifier.of("ns", "z"));
    warehouse.create(SCHEMA, PartitionSpec.unpartitioned());

    assertThat(warehouse.tables().find(table.uuid(), TestWarehouse.name(), 1))
        .isInstanceOf(TableSearch.Unsure.class);
    assertThat(warehouse.tables().find(table.uuid(), TestWarehouse.name(), 2))
        .isInstanceOf(TableSearch.Found.class);
  }

  @Test
  void adoptingAnOldTableUpgradesItAndKeepsItsRows() {
    warehouse.catalog().createNamespace(TestWarehouse.name().namespace());
    warehouse
        .catalog()
        .buildTable(TestWarehouse.name(), SCHEMA)
        .withProperty(TableProperties.FORMAT_VERSION, "2")
        .create();
    warehouse.append(List.of(List.of(1L, "a")));
    assertThat(TablePosition.valid(warehouse.load())).isEmpty();

    warehouse.adopt(TestWarehouse.at(3));

    assertThat(TablePosition.valid(warehouse.load())).isPresent();
    assertThat(TablePosition.metadata(warehouse.load()).formatVersion()).isEqualTo(3);
    assertThat(warehouse.rows()).containsExactly("1,a");
  }

  private void createWith(String column, Type type) {
    Schema schema =
        new Schema(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.optional(2, column, type));
    warehouse.create(schema, PartitionSpec.unpartitioned());
  }

  private static void assertInvalid(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String part) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
        .hasMessageContaining(part);
  }
}
