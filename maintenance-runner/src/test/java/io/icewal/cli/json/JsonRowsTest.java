package io.icewal.cli.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.cli.output.ArrowAsText;
import io.icewal.cli.output.NdjsonPrinter;
import io.icewal.model.Verdict;
import io.icewal.protocol.ColumnText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JsonRowsTest {
  private static final Schema ALL =
      schema(
          "id bigint not null, b boolean, i int, f float, d double, m decimal(10,2), day date,"
              + " t time, ts timestamp, tz timestamptz, ns timestamp_ns, s string, u uuid,"
              + " x fixed(3), bin binary, o struct<a int, p struct<q string>>,"
              + " l list<list<int>>, k map<string, int>, e map<int, struct<z string>>, n unknown");

  private final BufferAllocator allocator = new RootAllocator();
  private final List<Verdict> verdicts = new ArrayList<>();

  @AfterEach
  void everythingIsGivenBack() {
    allocator.close();
  }

  @Test
  void everyTypeComesBackAsItWent() throws IOException {
    String full =
        "{\"id\":9223372036854775807,\"b\":true,\"i\":-2147483648,\"f\":1.5,\"d\":-1.0E300,"
            + "\"m\":12345678.90,\"day\":\"2024-02-29\",\"t\":\"13:30:05.123456\","
            + "\"ts\":\"2024-02-29T13:30:05.123456\",\"tz\":\"1969-12-31T23:59:59.999Z\","
            + "\"ns\":\"2024-02-29T13:30:05.123456789\",\"s\":\"a\\n€😀\\u0000\","
            + "\"u\":\"123e4567-e89b-12d3-a456-426614174000\",\"x\":\"AQID\",\"bin\":\"\","
            + "\"o\":{\"a\":1,\"p\":{\"q\":null}},\"l\":[[1,2],[],null,[null]],"
            + "\"k\":{\"\":1,\"y\":null},\"e\":[{\"key\":7,\"value\":{\"z\":\"zz\"}}],\"n\":null}\n";
    String nulls =
        "{\"id\":1,\"b\":null,\"i\":null,\"f\":null,\"d\":null,\"m\":null,\"day\":null,\"t\":null,"
            + "\"ts\":null,\"tz\":null,\"ns\":null,\"s\":null,\"u\":null,\"x\":null,\"bin\":null,"
            + "\"o\":null,\"l\":null,\"k\":null,\"e\":null,\"n\":null}\n";

    String out = roundTrip(ALL, 2, full + nulls + full + nulls + nulls + full);

    assertThat(verdicts).isEmpty();
    assertThat(out).isEqualTo(full + nulls + full + nulls + nulls + full);
  }

  @Test
  void missingFieldsAreNullAndBlankLinesAreNoRows() throws IOException {
    String text = "\uFEFF\n{\"id\":1}\r\n\n  \n{\"s\":\"x\",\"id\":2}";

    assertThat(roundTrip(schema("id bigint, s string"), 10, text))
        .isEqualTo("{\"id\":1,\"s\":null}\n{\"id\":2,\"s\":\"x\"}\n");
  }

  @Test
  void badRowsLeaveNoTraceInTheColumns() throws IOException {
    Schema schema = schema("id bigint, s string, l list<string>, o struct<a string>");
    String good = "{\"id\":%d,\"s\":\"s%d\",\"l\":[\"l%d\"],\"o\":{\"a\":\"o%d\"}}\n";
    String bad = "{\"l\":[\"gone\",\"gone\"],\"o\":{\"a\":\"gone\"},\"s\":\"gone\",\"id\":\"x\"}\n";
    StringBuilder in = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      in.append(bad).append(good.formatted(i, i, i, i)).append("{\"id\":1").append('\n');
      in.append("{\"id\":" + i + "}\n").append(bad);
      expected.append(good.formatted(i, i, i, i));
      expected.append("{\"id\":" + i + ",\"s\":null,\"l\":null,\"o\":null}\n");
    }

    assertThat(roundTrip(schema, 37, in.toString())).isEqualTo(expected.toString());
    assertThat(verdicts).hasSize(150);
  }

  @Test
  void verdictsNameRowColumnRuleAndValue() throws IOException {
    Schema schema =
        schema("id bigint, i int, m decimal(4,2), s string, tz timestamptz, o struct<a list<int>>");
    String text =
        """
        {"id":1.5}
        {"id":9223372036854775808}
        {"i":2147483648,"s":5}
        {"m":1.234}
        {"m":1e999999999}
        {"tz":"2024-01-01T00:00:00"}
        {"o":{"a":[1,"two"]}}
        {"idd":1}
        {"s":"\\ud800"}
        {"id":1,"id":2}
        [1]
        {"id":1} {"id":2}
        {"id":1.0,"i":"12","m":"1e1"}
        """;

    assertThat(roundTrip(schema, 100, text)).contains("\"id\":1,\"i\":12,\"m\":10.00");
    assertThat(verdicts.stream().map(v -> v.row() + " " + v.column() + " " + v.rule()))
        .containsExactly(
            "0 id type",
            "1 id out-of-range",
            "2 i out-of-range",
            "2 s type",
            "3 m out-of-range",
            "4 m out-of-range",
            "5 tz format",
            "6 o.a.element type",
            "7 idd unknown-column",
            "8 s utf8",
            "9 id duplicate-column",
            "10  json",
            "11  json");
    assertThat(verdicts.get(8).message()).contains("did you mean 'id'?");
    assertThat(verdicts.get(0).value()).isEqualTo("1.5");
  }

  @Test
  void requiredValuesAreAskedForByRow() throws IOException {
    Schema schema =
        ColumnText.schema(
            ColumnText.columns(
                "id bigint, o struct<a int not null>, l list<int not null>, s string not null"),
            List.of("id"));
    String text =
        """
        {"id":1,"s":""}
        {"s":"x"}
        {"id":1,"o":{},"l":[1,null]}
        {"id":2,"o":null,"l":null,"s":"y"}
        """;

    assertThat(roundTrip(schema, 10, text)).hasLineCount(2);
    assertThat(verdicts.stream().map(v -> v.row() + " " + v.column() + " " + v.rule()))
        .containsExactlyInAnyOrder(
            "1 id key-not-null", "2 o.a not-null", "2 l.element not-null", "2 s not-null");
  }

  @Test
  void deletesSendTheKeyAlone() throws IOException {
    Schema schema =
        ColumnText.schema(ColumnText.columns("a string, id bigint, c int"), List.of("id"));
    try (JsonRows rows = new JsonRows(schema, JsonRows.Columns.KEY, allocator);
        NdjsonSource source = source("{\"id\":1,\"a\":\"x\",\"c\":\"not looked at\"}", 10)) {
      LineBatch batch = Objects.requireNonNull(source.next());
      JsonRows.Converted converted = rows.convert(batch);

      assertThat(converted.verdicts()).isEmpty();
      assertThat(converted.rows().getSchema().getFields()).hasSize(1);
      assertThat(converted.rows().getRowCount()).isEqualTo(1);
    }
  }

  @Test
  void theSameBytesAreCutTheSameWay() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      text.append("{\"s\":\"").append("x".repeat(i)).append("\"}\n");
    }
    List<String> cuts = new ArrayList<>();
    try (NdjsonSource source = source(text.toString(), 300)) {
      for (LineBatch batch = source.next(); batch != null; batch = source.next()) {
        cuts.add(batch.sequence() + ":" + batch.count() + ":" + batch.number(0));
      }
    }

    assertThat(cuts).containsExactly("0:300:1", "1:300:301", "2:300:601", "3:100:901");
  }

  private String roundTrip(Schema schema, int batchRows, String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonRows rows = new JsonRows(schema, JsonRows.Columns.ALL, allocator);
        NdjsonSource source = source(text, batchRows);
        ArrowAsText printer = new ArrowAsText(new NdjsonPrinter(out), schema)) {
      for (LineBatch batch = source.next(); batch != null; batch = source.next()) {
        JsonRows.Converted converted = rows.convert(batch);
        verdicts.addAll(converted.verdicts());
        printer.print(converted.rows());
      }
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  private static NdjsonSource source(String text, int rows) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new NdjsonSource(new ByteArrayInputStream(bytes), rows);
  }

  private static Schema schema(String columns) {
    return ColumnText.schema(ColumnText.columns(columns), List.of());
  }
}
