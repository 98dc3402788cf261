package io.icewal.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.cli.json.JsonRows;
import io.icewal.cli.json.LineBatch;
import io.icewal.cli.json.NdjsonSource;
import io.icewal.protocol.ColumnText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PrintersTest {
  private static final Schema SCHEMA =
      ColumnText.schema(ColumnText.columns("id bigint, s string, l list<int>"), List.of());
  private static final String ROWS =
      """
      {"id":1,"s":"a,\\"b\\"\\n","l":[1,2]}
      {"id":200,"s":null,"l":null}
      {"id":3,"s":"","l":[]}
      """;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private interface Maker {
    RowPrinter make() throws IOException;
  }

  @Test
  void tablesAlignNumbersRightAndDropControlCharacters() throws IOException {
    print(
        () ->
            new ArrowAsText(
                new TablePrinter(new PrintStream(out, true, StandardCharsets.UTF_8)), SCHEMA));

    assertThat(text())
        .isEqualTo(
            """
             id  s       l
            ---  ------  -----
              1  a,"b"   [1,2]
            200  null    null
              3          []
            (3 rows)
            """);
  }

  @Test
  void valuesThatCameAsTextStandAsThoseOfTheirKind() throws IOException {
    printAsText(new TablePrinter(new PrintStream(out, true, StandardCharsets.UTF_8)));
    assertThat(text())
        .isEqualTo(
            """
              n  s     l
            ---  ----  ---
              7  7     [7]
            NaN  null  {}
            (2 rows)
            """);
    out.reset();

    printAsText(new NdjsonPrinter(out));
    assertThat(text())
        .isEqualTo(
            """
            {"n":7,"s":"7","l":[7]}
            {"n":"NaN","s":null,"l":{}}
            """);
  }

  private static void printAsText(TextPrinter printer) throws IOException {
    Iterator<List<List<@Nullable String>>> batches =
        List.of(
                List.of(List.of("7", "7", "[7]")),
                List.of(Arrays.<@Nullable String>asList("NaN", null, "{}")),
                List.<List<@Nullable String>>of())
            .iterator();
    List<TextRows.Column> columns =
        List.of(
            new TextRows.Column("n", TextRows.Kind.BARE),
            new TextRows.Column("s", TextRows.Kind.QUOTED),
            new TextRows.Column("l", TextRows.Kind.NESTED));
    try (printer) {
      new TextRows(columns, batches::next).print(printer, () -> false);
    }
  }

  @Test
  void csvTellsNullFromEmpty() throws IOException {
    print(() -> new ArrowAsText(new CsvPrinter(out), SCHEMA));

    assertThat(text())
        .isEqualTo("id,s,l\r\n1,\"a,\"\"b\"\"\n\",\"[1,2]\"\r\n200,,\r\n3,\"\",[]\r\n");
  }

  @Test
  void numbersThatJsonDoesNotKnowAreQuotedInJsonAlone() throws IOException {
    Schema schema =
        ColumnText.schema(ColumnText.columns("d double, f float, l list<double>"), List.of());
    String rows =
        "{\"d\":\"NaN\",\"f\":\"-Infinity\",\"l\":[\"Infinity\"]}\n"
            + "{\"d\":-0.0,\"f\":1.0E10,\"l\":[]}\n";

    print(() -> new ArrowAsText(new CsvPrinter(out), schema), schema, rows);
    assertThat(text())
        .isEqualTo("d,f,l\r\nNaN,-Infinity,\"[\"\"Infinity\"\"]\"\r\n-0.0,1.0E10,[]\r\n");
    out.reset();
    print(() -> new ArrowAsText(new NdjsonPrinter(out), schema), schema, rows);
    assertThat(text()).isEqualTo(rows);
  }

  @Test
  void arrowIsAReadableStream() throws IOException {
    print(() -> new ArrowPrinter(out));

    try (BufferAllocator allocator = new RootAllocator();
        ArrowStreamReader reader =
            new ArrowStreamReader(new ByteArrayInputStream(out.toByteArray()), allocator)) {
      assertThat(reader.loadNextBatch()).isTrue();
      assertThat(reader.getVectorSchemaRoot().getRowCount()).isEqualTo(3);
      assertThat(reader.loadNextBatch()).isFalse();
    }
  }

  private String text() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private void print(Maker maker) throws IOException {
    print(maker, SCHEMA, ROWS);
  }

  private static void print(Maker maker, Schema schema, String text) throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        JsonRows rows = new JsonRows(schema, JsonRows.Columns.ALL, allocator);
        NdjsonSource source =
            new NdjsonSource(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 100);
        RowPrinter printer = maker.make()) {
      LineBatch batch = Objects.requireNonNull(source.next());
      printer.print(rows.convert(batch).rows());
      printer.end();
    }
  }
}
