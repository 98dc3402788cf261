package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.TestTables;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What fresh reads cost the log's store.
@ExtendWith(SparkServer.Shared.class)
class ReadRequestsTest {
  private final SparkServer spark;
  private final TestTables tables;

  ReadRequestsTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  @Test
  void anEmptyTailCostsThreeRequestsATable() {
    tables.create("quiet", FreshReadTest.KEYED);
    tables.upsert("quiet", tables.row("quiet", 1L, "x"));
    tables.materialize("quiet");
    tables.trim();
    spark.rows("SELECT max(v) FROM quiet");

    spark.logStore.reset();
    assertThat(spark.rows("SELECT max(v), count(*) FROM quiet")).containsExactly("x|1");

    assertThat(requests()).as(spark.logStore.counts().toString()).isEqualTo(3);
  }

  @Test
  void whatIsNotScannedCostsNothing() {
    tables.create("looked", FreshReadTest.KEYED);

    spark.logStore.reset();
    assertThat(spark.rows("DESCRIBE looked")).hasSize(2);
    assertThat(spark.rows("SELECT count(*) FROM icewal.s.looked.files")).containsExactly("0");

    assertThat(requests()).as(spark.logStore.counts().toString()).isZero();
  }

  @Test
  void laterQueriesReadOnlyNewBlocks() {
    tables.create("busy", FreshReadTest.KEYED);
    for (int batch = 0; batch < 20; batch++) {
      List<Record> rows = new ArrayList<>();
      for (long id = 0; id < 100; id++) {
        rows.add(tables.row("busy", batch * 100 + id, "v"));
      }
      tables.upsert("busy", rows);
    }
    spark.rows("SELECT count(*), max(v) FROM busy");

    spark.logStore.reset();
    assertThat(spark.rows("SELECT count(*), max(v) FROM busy")).containsExactly("2000|v");

    assertThat(requests()).as(spark.logStore.counts().toString()).isLessThanOrEqualTo(3);
  }

  private int requests() {
    return spark.logStore.counts().values().stream().mapToInt(Integer::intValue).sum();
  }
}
