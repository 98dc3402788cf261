package io.icewal.cli.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.protocol.ColumnPrinter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ColumnGuessTest {
  @Test
  void kindsAreGuessedFromAllRows() throws IOException {
    String rows =
        """
        {"id":1,"x":1,"ok":true,"d":"2024-01-01","t":"2024-01-01T00:00:00Z","n":null,"s":"a"}
        {"id":2,"x":1.5,"l":[],"d":"2024-01-02","t":"2024-01-01T00:00:00+01:00","o":{"a":1}}
        {"id":3,"l":["2024-01-01"],"d":"soon","o":{"b":"2024-01-01 10:00:00"}}
        """;

    assertThat(guess(rows))
        .isEqualTo(
            "id bigint, x double, ok boolean, d string, t timestamptz, n string, s string,"
                + " l list<date>, o struct<a bigint, b timestamp>");
  }

  @Test
  void twoKindsInOneColumnAreAnError() {
    assertThatThrownBy(() -> guess("{\"a\":1}\n{\"a\":\"x\"}\n"))
        .hasMessageContaining("rows.ndjson, line 2: column 'a' is LONG above and STRING here");
  }

  private static String guess(String rows) throws IOException {
    byte[] bytes = rows.getBytes(StandardCharsets.UTF_8);
    return ColumnPrinter.columns(
        ColumnGuess.columns(new ByteArrayInputStream(bytes), "rows.ndjson"));
  }
}
