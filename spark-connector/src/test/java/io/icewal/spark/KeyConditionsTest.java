package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.TestTables;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Conditions that choose among the rows of the log, of forms and types that Iceberg does not take
/// or orders in another way.
@ExtendWith(SparkServer.Shared.class)
class KeyConditionsTest {
  private static final UUID LOW = UUID.fromString("10000000-0000-0000-0000-000000000000");
  private static final UUID HIGH = UUID.fromString("90000000-0000-0000-0000-000000000000");

  private final SparkServer spark;
  private final TestTables tables;

  KeyConditionsTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  private List<String> where(String table, String columns, String condition) {
    return spark.rows("SELECT " + columns + " FROM " + table + " WHERE " + condition);
  }

  @Test
  void functionsOfColumnsAreTestedOnRowsOfTheLog() {
    tables.create(
        "key_texts",
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.StringType.get()),
                NestedField.optional(2, "v", Types.StringType.get())),
            Set.of(1)));
    tables.upsert(
        "key_texts", tables.row("key_texts", "a", "x"), tables.row("key_texts", "b", "Ay"));
    tables.materialize("key_texts");
    tables.upsert(
        "key_texts", tables.row("key_texts", "a", "Ax"), tables.row("key_texts", "abc", "ab"));

    assertThat(where("key_texts", "id", "lower(v) LIKE 'a%'")).containsExactly("a", "abc", "b");
    assertThat(where("key_texts", "id", "startswith('abc', v)")).containsExactly("abc");
    assertThat(where("key_texts", "id", "startswith('abc', id)")).containsExactly("a", "abc");
    assertThat(where("key_texts", "id", "lower(v) LIKE 'a%' AND id > 'a'"))
        .containsExactly("abc", "b");
    assertThat(where("key_texts", "v", "id IN ('abc', NULL)")).containsExactly("ab");
  }

  @Test
  void uuidsAreFoundWhateverTheirOrder() {
    tables.create(
        "key_uuids",
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.UUIDType.get()),
                NestedField.optional(2, "v", Types.StringType.get())),
            Set.of(1)));
    tables.upsert("key_uuids", tables.row("key_uuids", LOW, "base"));
    tables.materialize("key_uuids");
    tables.upsert(
        "key_uuids", tables.row("key_uuids", LOW, "low"), tables.row("key_uuids", HIGH, "high"));

    assertThat(where("key_uuids", "v", "id = 'abc'")).isEmpty();
    assertThat(where("key_uuids", "v", "id = '" + HIGH + "'")).containsExactly("high");
    assertThat(where("key_uuids", "v", "id IN ('" + LOW + "', '" + HIGH + "', 'abc')"))
        .containsExactly("high", "low");
    assertThat(where("key_uuids", "v", "id IN ('abc', 'def')")).isEmpty();
    assertThat(where("key_uuids", "v", "id > '" + LOW + "'")).containsExactly("high");
  }

  @Test
  void keysOfTextAndUuidAreFoundByBoth() {
    tables.create(
        "key_pairs",
        new Schema(
            List.of(
                NestedField.required(1, "region", Types.StringType.get()),
                NestedField.required(2, "id", Types.UUIDType.get()),
                NestedField.optional(3, "v", Types.StringType.get())),
            Set.of(1, 2)));
    tables.upsert("key_pairs", tables.row("key_pairs", "north", LOW, "base"));
    tables.materialize("key_pairs");
    tables.upsert(
        "key_pairs",
        tables.row("key_pairs", "north", HIGH, "log"),
        tables.row("key_pairs", "south", LOW, "log"));

    String both = "id IN ('" + LOW + "', '" + HIGH + "')";
    assertThat(where("key_pairs", "*", "region IN ('north', 'east') AND " + both))
        .containsExactly("north|" + LOW + "|base", "north|" + HIGH + "|log");
    assertThat(where("key_pairs", "*", "region = 'south' AND " + both))
        .containsExactly("south|" + LOW + "|log");
    assertThat(where("key_pairs", "*", "region = 'south' AND id IN ('abc', '" + LOW + "')"))
        .containsExactly("south|" + LOW + "|log");
  }

  @Test
  void shorterBytesThanTheKeysAreComparedAsBytes() {
    tables.create(
        "key_bytes",
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.FixedType.ofLength(4)),
                NestedField.optional(2, "v", Types.StringType.get())),
            Set.of(1)));
    tables.upsert("key_bytes", tables.row("key_bytes", new byte[] {1, 0, 0, 0}, "base"));
    tables.materialize("key_bytes");
    tables.upsert("key_bytes", tables.row("key_bytes", new byte[] {2, 0, 0, 0}, "log"));

    assertThat(where("key_bytes", "v", "id = X'02'")).isEmpty();
    assertThat(where("key_bytes", "v", "id = X'02000000'")).containsExactly("log");
    assertThat(where("key_bytes", "v", "id > X'01'")).containsExactly("base", "log");
    assertThat(where("key_bytes", "v", "id IN (X'02', X'01000000')")).containsExactly("base");
  }
}
