package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.sql.BenchResult;
import io.icewal.sql.BenchTables;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// That the measurement runs; what it measures needs a quiet machine.
@ExtendWith(SparkServer.Shared.class)
class SparkBenchTest {
  private final SparkServer spark;

  SparkBenchTest(SparkServer spark) {
    this.spark = spark;
  }

  @Tag("spark-4.1")
  @Test
  void readsAndWritesAreMeasuredOnBothTables() throws Exception {
    SparkBench bench = new SparkBench(spark);
    List<BenchResult> reads = new ArrayList<>();
    List<BenchResult> writes = new ArrayList<>();

    new BenchTables(bench).fill(new BenchTables.Sizes(4_000, 2_000));
    bench.reads(1, reads::add);
    bench.writes(new SparkBench.Writes(2_000, 200, 1), writes::add);

    assertThat(reads).hasSize(9).allMatch(result -> result.cpuRatio() > 0);
    assertThat(reads.get(0).requests().values().stream().mapToInt(Integer::intValue).sum())
        .as("requests to the log for a scan of an empty tail")
        .isEqualTo(3);
    assertThat(writes).hasSize(6).allMatch(result -> result.wallRatio() > 0);
    assertThat(writes.get(0).name()).isEqualTo("INSERT acknowledged");
    assertThat(spark.rows("SELECT count(*), count(DISTINCT id) FROM fresh_rows"))
        .isEqualTo(spark.rows("SELECT count(*), count(DISTINCT id) FROM stock.s.stock_rows"))
        .containsExactly("4000|4000");
    assertThat(
            spark.rows("SELECT count(*), count(DISTINCT id), max(id) FROM stock.s.written_stock"))
        .containsExactly("2200|2200|2299");
    assertThat(spark.rows("SELECT count(*), count(DISTINCT id), max(id) FROM written"))
        .as("the plain table's two batches, and two more")
        .containsExactly("2400|2400|2399");
  }
}
