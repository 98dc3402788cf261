package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.sql.BenchResult;
import io.icewal.sql.BenchTables;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// That the measurement runs; what it measures needs a quiet machine.
@ExtendWith(TrinoServer.Shared.class)
class TrinoBenchTest {
  private final TrinoServer trino;

  TrinoBenchTest(TrinoServer trino) {
    this.trino = trino;
  }

  @Test
  void readsAreMeasuredOnBothTables() throws Exception {
    BenchTables.Sizes sizes = new BenchTables.Sizes(40_000, 20_000);
    TrinoBench bench = new TrinoBench(trino);
    List<BenchResult> results = new ArrayList<>();

    new BenchTables(bench).fill(sizes);
    ArrivingRows.Arrived arrived = bench.reads(sizes, 400, 1, results::add);

    assertThat(arrived.rows()).isPositive();
    assertThat(results)
        .hasSize(9)
        .allMatch(result -> result.wallRatio() > 0 && result.cpuRatio() > 0);
    assertThat(results.get(0).requests().values().stream().mapToInt(Integer::intValue).sum())
        .as("requests to the log for a table with an empty tail")
        .isEqualTo(3);
    assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM fresh_rows"))
        .isEqualTo(trino.rows("SELECT count(*), count(DISTINCT id) FROM stock.s.stock_rows"))
        .containsExactly("40000|40000");
  }
}
