package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Statements with rows that their table cannot take fail, and say which row, which column and
/// which rule.
@ExtendWith(TrinoServer.Shared.class)
class RefusedRowsTest {
  private final TrinoServer trino;
  private final TestTables tables;

  RefusedRowsTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  private void assertRefused(String sql, String message) {
    assertThatThrownBy(() -> trino.execute(sql)).hasMessage(message);
  }

  private static final Types.StructType PLACE =
      Types.StructType.of(
          NestedField.required(4, "city", Types.StringType.get()),
          NestedField.optional(5, "code", Types.FixedType.ofLength(2)));

  private static Schema schema(Set<Integer> key) {
    return new Schema(
        List.of(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.optional(2, "code", Types.FixedType.ofLength(2)),
            NestedField.optional(3, "place", PLACE)),
        key);
  }

  /// The engine checks whole columns before the connector sees a row.
  @Test
  void nullsInColumnsAreRefusedByTheEngine() {
    tables.create("refused_columns", schema(Set.of(1)));

    assertRefused(
        "INSERT INTO refused_columns VALUES (NULL, X'0000', NULL)",
        "NULL value not allowed for NOT NULL column: id");
  }

  @Test
  void nullsInFieldsAreRefused() {
    tables.create("refused_fields", schema(Set.of(1)));

    assertRefused(
        "INSERT INTO refused_fields VALUES (1, NULL, ROW('x', NULL)), (7, NULL, ROW(NULL, NULL))",
        "row (id = 7), column place.city, rule not-null: column 'place.city' is required and must"
            + " not be null");
    trino.execute(
        "INSERT INTO refused_fields VALUES (1, X'0001', NULL), (2, NULL, ROW('x', NULL))");
    assertRefused(
        "UPDATE refused_fields SET place = ROW(CAST(NULL AS varchar), NULL) WHERE id = 2",
        "row (id = 2), column place.city, rule not-null: column 'place.city' is required and must"
            + " not be null");
    assertThat(trino.rows("SELECT id FROM refused_fields")).containsExactly("1", "2");
  }

  @Test
  void bytesOfAnotherLengthAreRefused() {
    tables.create("refused_lengths", schema(Set.of(1)));

    assertRefused(
        "INSERT INTO refused_lengths VALUES (1, NULL, NULL), (2, X'00', NULL)",
        "row (id = 2), column code, rule length: value of 1 bytes; fixed[2] takes exactly 2");
    assertRefused(
        "MERGE INTO refused_lengths t USING (VALUES 5) s(id) ON t.id = s.id"
            + " WHEN NOT MATCHED THEN INSERT VALUES (s.id, NULL, ROW('x', X'000000'))",
        "row (id = 5), column place.code, rule length: value of 3 bytes; fixed[2] takes exactly 2");
  }

  @Test
  void ofSeveralBadRowsTheFirstIsNamedWithWhatIsBadInIt() {
    List<NestedField> columns =
        List.of(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.optional(2, "place", PLACE),
            NestedField.optional(3, "code", Types.FixedType.ofLength(2)));
    tables.create("refused_several", new Schema(columns, Set.of(1)));

    assertRefused(
        "INSERT INTO refused_several VALUES (1, ROW('x', NULL), X'00'), (2, ROW(NULL, NULL), NULL)",
        "row (id = 1), column code, rule length: value of 1 bytes; fixed[2] takes exactly 2");
  }

  @Test
  void rowsOfTablesWithoutKeyAreNamedByTheirValues() {
    tables.create("refused_keyless", schema(Set.of()));

    assertRefused(
        "INSERT INTO refused_keyless VALUES (1, X'0000', ROW('y', NULL)), (2, NULL, ROW(NULL, NULL))",
        "row (id = 2, code = null, place = [null, null]), column place.city, rule not-null: column"
            + " 'place.city' is required and must not be null");
    assertThatThrownBy(
            () ->
                trino.execute(
                    "INSERT INTO refused_keyless SELECT 3, X'00', ROW(array_join(repeat('long', 999),"
                        + " ''), NULL)"))
        .hasMessageContaining("column code, rule length")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
  }

  @Test
  void nullsInFieldsOfTheKeyAreRefused() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(3, "place", PLACE)),
            Set.of(1, 4));
    tables.create("refused_keys", schema);

    assertRefused(
        "INSERT INTO refused_keys VALUES (1, ROW('x', NULL)), (2, ROW(NULL, NULL))",
        "row (id = 2, place = [null, null]), column place.city, rule key-not-null: column 'place.city' is"
            + " part of the key and must not be null");
  }

  @Test
  void elementsAndValuesAreNamedByTheirPath() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(
                    2, "tags", Types.ListType.ofRequired(3, Types.FixedType.ofLength(1))),
                NestedField.optional(
                    4,
                    "counts",
                    Types.MapType.ofRequired(5, 6, Types.StringType.get(), Types.LongType.get()))),
            Set.of(1));
    tables.create("refused_elements", schema);

    assertRefused(
        "INSERT INTO refused_elements VALUES (1, ARRAY[], NULL), (2, ARRAY[X'01', X''], NULL)",
        "row (id = 2), column tags.element, rule length: value of 0 bytes; fixed[1] takes exactly"
            + " 1");
    assertRefused(
        "INSERT INTO refused_elements VALUES (1, NULL, NULL), (3, ARRAY[X'01', NULL], NULL)",
        "row (id = 3), column tags.element, rule not-null: column 'tags.element' is required and"
            + " must not be null");
    assertRefused(
        "INSERT INTO refused_elements VALUES (4, NULL, MAP(ARRAY['a', 'b'], ARRAY[1, NULL]))",
        "row (id = 4), column counts.value, rule not-null: column 'counts.value' is required and"
            + " must not be null");
  }

  @Test
  void timesBeyondTheirColumnAreRefused() {
    trino.execute(
        "CREATE TABLE refused_times (id bigint, n timestamp(9), z timestamp(6) with time zone)"
            + " WITH (primary_key = ARRAY['id'])");

    assertRefused(
        "INSERT INTO refused_times VALUES (1, TIMESTAMP '3000-01-01 00:00:00.000000001', NULL)",
        "row (id = 1), column n, rule out-of-range: value is out of range for timestamp_ns; expected"
            + " what fits into 64 bits");
  }

  // b074
  @Test
  void b074_rowsThatHaveNoPartitionAreRefusedBeforeTheyStopTheTable() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "n", Types.IntegerType.get())),
            Set.of(1));
    PartitionSpec spec = PartitionSpec.builderFor(schema).truncate("n", 10).build();
    tables.create("bounded", schema, spec);
    String reason =
        ", column n, rule partition, value -2147483648: value cannot be partitioned by truncate(10,"
            + " n); expected -2147483640 to 2147483647";

    assertRefused("INSERT INTO bounded VALUES (1, 5), (3, -2147483648)", "row (id = 3)" + reason);
    trino.execute("INSERT INTO bounded VALUES (1, -2147483640), (2, NULL)");
    assertRefused("UPDATE bounded SET n = -2147483648 WHERE id = 2", "row (id = 2)" + reason);
    trino.execute("DELETE FROM bounded WHERE id = 2");

    tables.materialize("bounded");
    assertThat(trino.rows("SELECT * FROM stock.s.bounded")).containsExactly("1|-2147483640");
  }
}
