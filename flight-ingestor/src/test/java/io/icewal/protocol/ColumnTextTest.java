package io.icewal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.IcewalException;
import java.util.List;
import org.apache.iceberg.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "id bigint not null, at timestamptz, amount decimal(12,2), tags list<string>",
        "a boolean, b int, c float, d double, e date, f time, g timestamp, h timestamp_ns",
        "a timestamptz_ns, b uuid, c fixed(16), d binary, e unknown",
        "s struct<x int not null, y list<struct<z string not null> not null>>",
        "m map<string, map<int, decimal(38,0) not null>>",
        "\"a b\" string, \"q\"\"q\" int not null, 日本 string",
      })
  void whatIsPrintedIsWhatWasRead(String text) {
    assertThat(ColumnPrinter.columns(ColumnText.columns(text))).isEqualTo(text);
  }

  @Test
  void aTypeNestedWithoutEndIsRefused() {
    String deep = "a " + "list<".repeat(100_000) + "int" + ">".repeat(100_000);

    assertThatThrownBy(() -> ColumnText.columns(deep))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("nested");
  }

  @ParameterizedTest
  @CsvSource({"f float, f", "d double, d", "l list<int>, l", "l list<int>, l.element"})
  void aColumnThatCannotBeAKeyIsRefused(String columns, String key) {
    assertThatThrownBy(() -> ColumnText.schema(ColumnText.columns(columns), List.of(key)))
        .isInstanceOf(IcewalException.class)
        .hasMessageStartingWith("key: Cannot add field");
  }

  @Test
  void otherSpellingsMeanTheSame() {
    String other = "id LONG NOT NULL, s varchar null, `n` struct<a: integer>, f fixed[3]";
    assertThat(ColumnPrinter.columns(ColumnText.columns(other)))
        .isEqualTo("id bigint not null, s string, n struct<a int>, f fixed(3)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "id; expected a name at character 3",
        "id bigint,; expected a name at character 11",
        "id biginteger; unknown type 'biginteger'",
        "id bigint id2 int; expected ',' or the end at character 11",
        "d decimal(39,2); precision is 1 to 38",
        "l list<int; expected '>'",
        "id int not; expected 'null' after 'not'",
        "id int, id int; column 'id' stands twice",
      })
  void mistakesAreNamedWithTheirPlace(String text, String message) {
    assertThatThrownBy(() -> ColumnText.columns(text))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining(message);
  }

  @Test
  void keyColumnsBecomeNotNull() {
    Schema schema =
        ColumnText.schema(ColumnText.columns("a int, b string, c int"), List.of("b", "a"));

    assertThat(schema.identifierFieldNames()).containsExactlyInAnyOrder("a", "b");
    assertThat(ColumnPrinter.columns(schema.columns()))
        .isEqualTo("a int not null, b string not null, c int");
    assertThatThrownBy(() -> ColumnText.schema(ColumnText.columns("a int"), List.of("x")))
        .hasMessageContaining("key: no column 'x'; the columns are a");
  }

  @Test
  void partitionsArePrintedAsRead() {
    Schema schema =
        ColumnText.schema(
            ColumnText.columns("id bigint, at timestamptz, s string, n struct<x int>"),
            List.of("id"));
    String text = "day(at), bucket(16,id), truncate(4,s), n.x";

    assertThat(ColumnPrinter.partitions(PartitionText.spec(text, schema))).isEqualTo(text);
    assertThatThrownBy(() -> PartitionText.spec("days(at)", schema))
        .hasMessageContaining("unknown transform 'days'");
    assertThatThrownBy(() -> PartitionText.spec("day(when)", schema))
        .hasMessageContaining("no column 'when'");
    assertThatThrownBy(() -> PartitionText.spec("day(s)", schema))
        .isInstanceOf(IcewalException.class);
  }
}
