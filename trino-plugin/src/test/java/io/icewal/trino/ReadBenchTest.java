package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
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
    ReadBench.Sizes sizes = new ReadBench.Sizes(40_000, 20_000, 400, 1);
    List<ReadBench.Result> results = new ArrayList<>();

    new BenchTables(trino, sizes).fill();
    ArrivingRows.Arrived arrived = new ReadBench(trino, sizes, results::add).run();

    assertThat(arrived.rows()).isPositive();
    assertThat(results)
        .hasSize(7)
        .allMatch(result -> result.wallRatio() > 0 && result.cpuRatio() > 0);
    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM fresh_rows"))
        .isEqualTo(trino.rows("SELECT count(*), count(DISTINCT id) FROM stock.s.stock_rows"))
        .containsExactly("40000|40000");
  }
}
