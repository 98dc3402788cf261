package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.storage.FaultyObjectStore;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.StoreOp;
import io.icewal.table.TestWarehouse;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The schema changes while rows wait in the log.
final class MaterializeSchemaTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

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

  // b082
  @Test
  void b082_rowsOfSeveralSchemasAreMaterializedTogether() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
    warehouse.load().updateSchema().addColumn("c", Types.LongType.get()).commit();
    warehouse.upsert(List.of(3L, "c", 30L));
    warehouse.load().updateSchema().addColumn("d", Types.StringType.get()).commit();
    warehouse.upsert(List.of(4L, "d", 40L, "x"));

    assertThat(warehouse.materializeAll())
        .containsExactly("1,a,null,null", "2,b,null,null", "3,c,30,null", "4,d,40,x");
  }

  // b088
  @Test
  void b088_aColumnAddedLaterHasItsInitialDefaultInOldRowsAndNullInRowsWithoutIt() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse.load().updateSchema().addColumn("c", Types.LongType.get(), Literal.of(5L)).commit();
    Schema without = new Schema(warehouse.load().schema().columns().subList(0, 2));
    warehouse.upsert(without, List.of(2L, "b"));

    assertThat(warehouse.materializeAll()).containsExactly("1,a,5", "2,b,null");
  }

  @Test
  void aColumnAddedBetweenLoadingTheTableAndReadingTheTailKeepsItsValues() {
    FaultyObjectStore store =
        new FaultyObjectStore(new MemoryObjectStore(Clock.systemUTC()), new SplittableRandom(1));
    try (Warehouse racing = new Warehouse(folder.resolve("racing"), store)) {
      racing.create(SCHEMA);
      racing.upsert(List.of(1L, "a"));
      store.before(
          StoreOp.LIST,
          key -> key.endsWith("/segments/"),
          () -> {
            racing.load().updateSchema().addColumn("c", Types.LongType.get()).commit();
            racing.upsert(List.of(2L, "b", 7L));
          });

      assertThat(racing.materializeAll()).containsExactly("1,a,null", "2,b,7");
    }
  }

  // b083
  @Test
  void b083_aColumnDroppedAndAddedAgainDoesNotBringValuesBack() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "x"));
    warehouse.load().updateSchema().deleteColumn("v").commit();
    warehouse.load().updateSchema().addColumn("v", Types.StringType.get()).commit();

    assertThat(warehouse.materializeAll()).containsExactly("1,null");
  }

  // b085
  @Test
  void b085_renamedAndReorderedColumnsFollowTheirIds() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "a", Types.StringType.get()),
                NestedField.optional(3, "b", Types.StringType.get())),
            Set.of(1));
    Table table = warehouse.create(schema);
    Schema shuffled =
        new Schema(
            table.schema().findField("b"),
            table.schema().findField("id"),
            table.schema().findField("a"));
    warehouse.upsert(shuffled, List.of("b1", 1L, "a1"));
    table.updateSchema().renameColumn("a", "x").moveFirst("b").commit();
    warehouse.upsert(List.of("b2", 2L, "a2"));

    assertThat(warehouse.load().schema().columns().stream().map(NestedField::name))
        .containsExactly("b", "id", "x");
    assertThat(warehouse.materializeAll()).containsExactly("b1,1,a1", "b2,2,a2");
  }

  // b086
  @Test
  void b086_nestedFieldsFollowTheirIds() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(
                    2,
                    "s",
                    Types.StructType.of(
                        NestedField.optional(3, "x", Types.IntegerType.get()),
                        NestedField.optional(4, "y", Types.IntegerType.get())))),
            Set.of(1));
    warehouse.create(schema);
    warehouse.upsert(Arrays.asList(1L, List.of(10, 20)));
    warehouse.step();
    warehouse.upsert(Arrays.asList(2L, List.of(11, 21)));
    warehouse.load().updateSchema().renameColumn("s.x", "z").moveFirst("s.y").commit();

    assertThat(warehouse.materializeAll()).containsExactly("1,Record(20, 10)", "2,Record(21, 11)");
  }

  // b091, b092
  @Test
  void b091_widenedKeysAndValuesStayTheSame() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "k", Types.DecimalType.of(9, 2)),
                NestedField.required(2, "n", Types.IntegerType.get()),
                NestedField.optional(3, "f", Types.FloatType.get())),
            Set.of(1, 2));
    warehouse.create(schema);
    warehouse.upsert(List.of(new BigDecimal("1.50"), 7, 0.1f));
    warehouse.step();
    warehouse
        .load()
        .updateSchema()
        .updateColumn("k", Types.DecimalType.of(18, 2))
        .updateColumn("n", Types.LongType.get())
        .updateColumn("f", Types.DoubleType.get())
        .commit();
    warehouse.upsert(List.of(new BigDecimal("1.50"), 7L, 0.25));
    assertThat(warehouse.materializeAll()).containsExactly("1.50,7,0.25");
    warehouse.load().updateSchema().updateColumn("k", Types.DecimalType.of(38, 2)).commit();
    warehouse.upsert(List.of(new BigDecimal("1.50"), 7L, 0.5));

    assertThat(warehouse.materializeAll()).containsExactly("1.50,7,0.5");
  }

  @Test
  void rowsAcknowledgedUnderANarrowerTypeAreWidened() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.IntegerType.get()),
                NestedField.optional(2, "f", Types.FloatType.get())),
            Set.of(1));
    warehouse.create(schema);
    warehouse.upsert(List.of(1, 0.1f), List.of(2, 0.5f));
    warehouse
        .load()
        .updateSchema()
        .updateColumn("id", Types.LongType.get())
        .updateColumn("f", Types.DoubleType.get())
        .commit();
    warehouse.upsert(List.of(2L, 0.25));

    assertThat(warehouse.materializeAll()).containsExactly("1," + (double) 0.1f, "2,0.25");
  }

  /// What a process remembers of a manifest is of the types that the table had.
  @ParameterizedTest
  @ValueSource(strings = {"identity", "truncate", "bucket"})
  void rowsOfAWidenedKeyStayInTheirPartition(String transform) {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.IntegerType.get()),
                NestedField.optional(2, "n", Types.IntegerType.get())),
            Set.of(1));
    PartitionSpec.Builder spec = PartitionSpec.builderFor(schema);
    PartitionSpec by =
        switch (transform) {
          case "identity" -> spec.identity("id").build();
          case "truncate" -> spec.truncate("id", 10).build();
          default -> spec.bucket("id", 4).build();
        };
    warehouse.create(schema, by);
    warehouse.upsert(List.of(1, 1), List.of(2, 1), List.of(3, 1));
    warehouse.step();
    warehouse.upsert(List.of(1, 2), List.of(4, 2));
    warehouse.step();
    warehouse.load().updateSchema().updateColumn("id", Types.LongType.get()).commit();
    warehouse.upsert(List.of(1L, 3), List.of(2L, 3));
    warehouse.step();
    warehouse.upsert(List.of(2L, 4), List.of(4L, 4));

    assertThat(warehouse.materializeAll()).containsExactly("1,3", "2,4", "3,1", "4,4");
  }

  // b089
  @Test
  void b089_rowsUnderAnotherKeyAreNotTakenForOnesOfTheNewKey() {
    warehouse.create(SCHEMA);
    warehouse.upsert(List.of(1L, "a"));
    warehouse
        .load()
        .updateSchema()
        .allowIncompatibleChanges()
        .requireColumn("v")
        .setIdentifierFields("id", "v")
        .commit();
    assertThat(warehouse.step().status()).isEqualTo(MaterializeResult.Status.REPLACED);

    warehouse.load().updateSchema().setIdentifierFields("id").commit();
    warehouse.upsert(List.of(1L, "b"));
    assertThat(warehouse.materializeAll()).containsExactly("1,b");
  }

  // b094
  @Test
  void b094_aColumnDroppedAfterTheRowWasAcknowledgedIsGone() {
    warehouse.create(SCHEMA);
    warehouse.load().updateSchema().addColumn("c", Types.LongType.get()).commit();
    Table before = warehouse.load();
    warehouse.load().updateSchema().deleteColumn("c").commit();
    warehouse.append(
        List.of(
            warehouse.batch(
                before, BlockKind.UPSERT, before.schema(), List.of(List.of(1L, "a", 5L)), null)));

    assertThat(warehouse.materializeAll()).containsExactly("1,a");
  }

  // b095
  @Test
  void b095_aNullRowUnderAColumnThatBecameRequiredStopsItsTableLoudlyUntilItIsRepaired() {
    warehouse.create(SCHEMA);
    warehouse.upsert(Arrays.asList(1L, null));
    warehouse.load().updateSchema().allowIncompatibleChanges().requireColumn("v").commit();

    assertThatThrownBy(() -> warehouse.step())
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
        .hasMessageContaining("'v'")
        .hasMessageContaining("required");
    assertThat(warehouse.rows()).isEmpty();

    warehouse.load().updateSchema().makeColumnOptional("v").commit();
    assertThat(warehouse.materializeAll()).containsExactly("1,null");
  }

  // A client that still writes to the table of before: its rows are acknowledged.
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void rowsOfATypeThatAReplacedTableNoLongerHasStopItLoudlyAndStayInTheLog(int column) {
    Schema uuids = withColumn(column, Types.UUIDType.get());
    Table before = warehouse.create(uuids);
    warehouse
        .tables()
        .catalog()
        .buildTable(TestWarehouse.name(), withColumn(column, Types.FixedType.ofLength(16)))
        .withProperty("format-version", "3")
        .replaceTransaction()
        .commitTransaction();
    warehouse.tables().adopt(warehouse.end());
    assertThat(warehouse.load().schema().findType(column)).isEqualTo(Types.FixedType.ofLength(16));
    Position adopted = warehouse.position();
    List<Object> row = column == 1 ? List.of(new byte[16], "a") : List.of(1L, new byte[16]);
    warehouse.append(List.of(warehouse.batch(before, BlockKind.UPSERT, uuids, List.of(row), null)));

    assertThatThrownBy(() -> warehouse.step())
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
        .hasMessageContaining("a column of uuid cannot be read as fixed[16]")
        .hasMessageContaining("field id " + column);
    assertThat(warehouse.position()).isEqualTo(adopted);
    assertThat(warehouse.rows()).isEmpty();
    if (column == 2) {
      warehouse.load().updateSchema().deleteColumn("v").commit();
      assertThat(warehouse.materializeAll()).containsExactly("1");
    }
  }

  @Test
  void rowsOfAKeyThatAReplacedTableNoLongerHasStopNothingOnceTheyAreTruncated() {
    Table before = warehouse.create(withKey(1));
    warehouse
        .tables()
        .catalog()
        .buildTable(TestWarehouse.name(), withKey(2))
        .withProperty("format-version", "3")
        .replaceTransaction()
        .commitTransaction();
    warehouse.tables().adopt(warehouse.end());
    warehouse.append(
        List.of(
            warehouse.batch(
                before, BlockKind.UPSERT, withKey(1), List.of(List.of(1L, "a")), null)));
    assertThatThrownBy(() -> warehouse.step()).hasMessageContaining("has key fields [1]");

    warehouse.truncate();
    warehouse.upsert(List.of(2L, "b"));

    assertThat(warehouse.materializeAll()).containsExactly("2,b");
  }

  private static Schema withKey(int id) {
    return new Schema(
        List.of(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.required(2, "v", Types.StringType.get())),
        Set.of(id));
  }

  private static Schema withColumn(int id, Type type) {
    return new Schema(
        List.of(
            NestedField.required(1, "id", id == 1 ? type : Types.LongType.get()),
            NestedField.optional(2, "v", id == 2 ? type : Types.StringType.get())),
        Set.of(1));
  }

  @Test
  void aNullRowThatALaterRowReplacesStopsNothing() {
    warehouse.create(SCHEMA);
    warehouse.upsert(Arrays.asList(1L, null));
    warehouse.load().updateSchema().allowIncompatibleChanges().requireColumn("v").commit();
    warehouse.upsert(List.of(1L, "x"));

    assertThat(warehouse.materializeAll()).containsExactly("1,x");
  }

  // b052, b053, b062: keys that look alike stay apart, through data files and back.
  @Test
  void b053_compositeTextKeysStayApart() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "a", Types.StringType.get()),
                NestedField.required(2, "b", Types.StringType.get()),
                NestedField.optional(3, "v", Types.LongType.get())),
            Set.of(1, 2));
    warehouse.create(schema);
    List<List<String>> keys =
        List.of(
            List.of("a;", "b"),
            List.of("a", ";b"),
            List.of("", "ab"),
            List.of("a", "b"),
            List.of("null", "x"),
            List.of("a\0", "b"),
            List.of("a", "\0b"),
            List.of("A", "b"),
            List.of("a ", "b"),
            List.of("\u00e9", ""),
            List.of("e\u0301", ""),
            List.of("\\", ","),
            List.of("\uFFFD", "x"),
            List.of("\uD83D\uDE00", "x"));
    for (long round = 0; round < 3; round++) {
      for (List<String> key : keys) {
        warehouse.upsert(List.of(key.get(0), key.get(1), round));
      }
      assertThat(warehouse.materializeAll()).hasSize(keys.size());
    }
    warehouse.delete(List.of("a", "b"));

    assertThat(warehouse.materializeAll()).hasSize(keys.size() - 1).doesNotContain("a,b,2");
  }

  @Test
  void aNestedKeyFieldIsAKey() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(
                    1,
                    "s",
                    Types.StructType.of(
                        NestedField.required(3, "k", Types.LongType.get()),
                        NestedField.optional(4, "w", Types.StringType.get()))),
                NestedField.optional(2, "v", Types.StringType.get())),
            Set.of(3));
    warehouse.create(schema);
    warehouse.upsert(List.of(List.of(1L, "w1"), "a"), List.of(List.of(2L, "w2"), "b"));
    warehouse.step();
    warehouse.upsert(List.of(List.of(1L, "w3"), "c"));

    assertThat(warehouse.materializeAll()).containsExactly("Record(1, w3),c", "Record(2, w2),b");
  }
}
