package io.icewal.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.BlockKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.statement.StatementTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What tasks hold, and how they name the rows that they refuse.
class RowStagerTest {
  private static final UUID TABLE = new UUID(1, 2);

  @TempDir Path folder;
  private Warehouse warehouse;

  @BeforeEach
  void open() {
    warehouse = Warehouse.of(WarehouseSettings.of("c", Map.of("data", folder.toString())));
  }

  private RowStager stager(Schema schema, PartitionSpec spec) {
    StatementTable table =
        new StatementTable(
            "s.t",
            TABLE,
            SchemaParser.toJson(schema),
            PartitionSpecParser.toJson(spec),
            99,
            warehouse.logEnd(TABLE).toString());
    return new RowStager(table, BlockKind.UPSERT, false, warehouse);
  }

  private static InternalRow row(Object... values) {
    return new GenericInternalRow(values);
  }

  private static void refused(RowStager stager, String why, InternalRow... rows) {
    try (stager) {
      assertThatThrownBy(
              () -> {
                for (InternalRow row : rows) {
                  stager.add(row);
                }
                stager.finish();
              })
          .isInstanceOf(IcewalException.class)
          .hasMessageStartingWith("table s.t, " + why);
    }
  }

  @Test
  void wideRowsAreStagedBeforeTheyFillTheMemory() {
    Schema schema = new Schema(List.of(NestedField.optional(1, "v", Types.StringType.get())));
    UTF8String megabyte = UTF8String.fromString("x".repeat(1 << 20));

    try (RowStager stager = stager(schema, PartitionSpec.unpartitioned())) {
      for (int i = 0; i < 300; i++) {
        stager.add(row(megabyte));
      }
      assertThat(stager.finish()).hasSizeGreaterThan(4);
    }

    assertThat(warehouse.allocator().getPeakMemoryAllocation()).isLessThan(200L << 20);
  }

  @Test
  void aRefusedRowIsNamedByItsKeyWhereverThatStands() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.optional(1, "u", Types.UUIDType.get()),
                NestedField.required(2, "id", Types.LongType.get())),
            Set.of(2));

    refused(
        stager(schema, PartitionSpec.unpartitioned()),
        "row (id = 7), column u, rule uuid: 'no' is no uuid",
        row(null, 1L),
        row(UTF8String.fromString("no"), 7L));
  }

  @Test
  void ofSeveralBadRowsTheFirstIsNamed() {
    Types.StructType place =
        Types.StructType.of(NestedField.required(4, "city", Types.StringType.get()));
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "a", place),
                NestedField.optional(
                    3,
                    "b",
                    Types.StructType.of(NestedField.required(5, "x", Types.LongType.get())))),
            Set.of(1));

    refused(
        stager(schema, PartitionSpec.unpartitioned()),
        "row (id = 8), column b.x, rule not-null",
        row(7L, row(UTF8String.fromString("y")), row(1L)),
        row(8L, null, row((Object) null)),
        row(9L, row((Object) null), null));
  }

  @Test
  void aRowWithoutPartitionOfATableWithoutKeyIsNamedByItsValues() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.optional(1, "n", Types.IntegerType.get()),
                NestedField.optional(2, "v", Types.StringType.get())));
    PartitionSpec spec = PartitionSpec.builderFor(schema).truncate("n", 10).build();

    refused(
        stager(schema, spec),
        "row (n = -2147483648, v = x), column n, rule partition: -2147483648: ",
        row(1, null),
        row(Integer.MIN_VALUE, UTF8String.fromString("x")));
  }
}
