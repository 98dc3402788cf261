package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class DemoTest {
  @Test
  void theTourShowsEveryStageAndEndsWell() throws Exception {
    Path samples = Path.of("").toAbsolutePath().resolveSibling("samples");
    TestServer.Result result = TestServer.icewal("", "demo", "--samples", samples.toString());

    assertThat(result.code()).as(result.out() + result.err()).isZero();
    JsonNode answers = new ObjectMapper().readTree(samples.resolve("answers.json").toFile());
    // The tour adds one row and deletes it and one more.
    long rows = answers.at("/keyed/rows").asLong() - 1;
    assertThat(result.out())
        .contains("10,438 of 10,438 rows stored")
        .contains("$ ./icewal cat demo.packages")
        .contains("(0 rows)")
        .contains("0 of 3 rows stored")
        .contains("1 of 3 rows stored")
        .contains("15+248+deb12u1")
        .contains("15+248+deb12u2")
        .contains(String.format(Locale.ROOT, "%,d rows, sum(size_bytes)", rows))
        .contains("Parquet data files of the table")
        .contains("What to try next");
    assertThat(result.err())
        .contains("line 2, column architecture")
        .contains("line 3, column size_bytes");
  }
}
