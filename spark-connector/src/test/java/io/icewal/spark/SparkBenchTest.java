package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// That the measurement runs; what it measures needs a quiet machine.
@ExtendWith(SparkServer.Shared.class)
class SparkBenchTest {
  private final SparkServer spark;

  SparkBenchTest(SparkServer spark) {
    this.spark = spark;
  }

  @Test
  void readsAndWritesAreMeasuredOnBothTables() {
    List<SparkBench.Result> told = new ArrayList<>();
    SparkBench bench =
        new SparkBench(spark, new SparkBench.Sizes(4_000, 2_000, 2_000, 200, 1), told::add);

    int requests = bench.requestsOfEmptyTail();
    List<SparkBench.Result> reads = bench.reads();
    List<SparkBench.Result> writes = bench.writes();

    assertThat(requests).isEqualTo(3);
    assertThat(reads).hasSize(8).allMatch(result -> result.cpuRatio() > 0);
    assertThat(told).hasSize(14);
    assertThat(writes).hasSize(6).allMatch(result -> result.wallRatio() > 0);
    assertThat(spark.rows("SELECT count(*), count(DISTINCT id) FROM fresh_rows"))
        .isEqualTo(spark.rows("SELECT count(*), count(DISTINCT id) FROM stock.s.stock_rows"))
        .containsExactly("4000|4000");
    assertThat(
            spark.rows("SELECT count(*), count(DISTINCT id), max(id) FROM stock.s.written_stock"))
        .containsExactly("2200|2200|2299");
    assertThat(spark.rows("SELECT count(*), count(DISTINCT id), max(id) FROM written"))
        .as("the plain table's two batches, and two more")
        .containsExactly("2400|2400|2399");
    assertThat(SparkBench.json(requests, writes)).contains("\"INSERT acknowledged\":{\"wall_ms\":");
  }
}
