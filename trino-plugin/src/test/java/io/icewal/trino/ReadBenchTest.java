package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// That the measurement runs; what it measures needs a quiet machine.
@ExtendWith(TrinoServer.Shared.class)
class ReadBenchTest {
  private final TrinoServer trino;

  ReadBenchTest(TrinoServer trino) {
    this.trino = trino;
  }

  @Test
  void readsAreMeasuredOnBothTables() throws Exception {
    List<ReadBench.Result> results =
        new ReadBench(trino, new ReadBench.Sizes(40_000, 20_000, 400, 1)).run();

    assertThat(results)
        .hasSize(5)
        .allMatch(result -> result.wallRatio() > 0 && result.cpuRatio() > 0);
    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM fresh_rows"))
        .isEqualTo(trino.rows("SELECT count(*), count(DISTINCT id) FROM stock.s.stock_rows"))
        .containsExactly("40000|40000");
  }
}
