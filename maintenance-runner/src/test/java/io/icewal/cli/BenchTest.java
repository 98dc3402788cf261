package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/// That the measurements run and answer in their form; what they measure needs a quiet machine.
class BenchTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void ingestIsComparedWithABareServer() throws Exception {
    JsonNode result = run("ingest", "--rows", "16000", "--warm", "5000", "--batch", "1000");

    assertThat(result.get("rows").asLong()).isEqualTo(16_000);
    assertThat(result.get("rows_per_cpu_s").asLong()).isPositive();
    assertThat(result.get("bare_rows_per_cpu_s").asLong()).isPositive();
    assertThat(result.get("ratio").asDouble()).isPositive();
  }

  @Test
  void materializationIsMeasuredForNewAndKnownKeys() throws Exception {
    JsonNode result =
        run(
            "materialize",
            "--rows",
            "20000",
            "--upserts",
            "10000",
            "--warm",
            "0",
            "--batch",
            "5000");

    assertThat(result.get("insert_rows_per_cpu_s").asLong()).isPositive();
    assertThat(result.get("upsert_rows_per_cpu_s").asLong()).isPositive();
  }

  private static JsonNode run(String... arguments) throws Exception {
    String[] all = new String[arguments.length + 2];
    all[0] = "bench";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[all.length - 1] = "--json";
    TestServer.Result result = TestServer.icewal("", all);
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).hasLineCount(1);
    return JSON.readTree(result.out());
  }
}
