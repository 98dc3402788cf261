package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.data.Record;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Beyond a bound, keys of the log are looked up in files by a job of Spark.
@ExtendWith(SparkServer.Shared.class)
class KeyLookupJobTest {
  private static final String BOUND = "spark.sql.icewal.driver-lookups-max";

  private final SparkServer spark;
  private final TestTables tables;

  KeyLookupJobTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  @AfterEach
  void unset() {
    spark.spark.conf().unset(BOUND);
  }

  private static final class Lookups extends SparkListener {
    private final AtomicInteger stages = new AtomicInteger();

    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted stage) {
      if (stage.stageInfo().name().contains("that its log hides")) {
        stages.incrementAndGet();
      }
    }
  }

  /// The same query, looked up by the driver and by a job.
  private void isTheSame(String sql) throws Exception {
    List<String> here = spark.rows(sql);
    Lookups lookups = new Lookups();
    spark.spark.sparkContext().addSparkListener(lookups);
    spark.spark.conf().set(BOUND, "0");
    List<String> byJob = spark.rows(sql);
    spark.spark.conf().unset(BOUND);
    spark.spark.sparkContext().listenerBus().waitUntilEmpty();
    spark.spark.sparkContext().removeSparkListener(lookups);

    assertThat(byJob).isEqualTo(here).isNotEmpty();
    assertThat(lookups.stages.get()).as("jobs of " + sql).isEqualTo(1);
  }

  private void upsert(String table, int from, int to, int step, String value) {
    List<Record> rows = new ArrayList<>();
    for (int i = from; i < to; i += step) {
      rows.add(tables.row(table, i, value + i, i % 3));
    }
    tables.upsert(table, rows);
  }

  private void fill(String table) {
    upsert(table, 0, 400, 1, "first");
    tables.materialize(table);
    upsert(table, 100, 300, 3, "second");
    tables.delete(table, tables.row(table, 5), tables.row(table, 399));
    tables.materialize(table);
    upsert(table, 350, 450, 2, "tail");
    upsert(table, 0, 100, 7, "tail");
    tables.delete(table, tables.row(table, 103), tables.row(table, 352));
  }

  @Test
  void jobFindsWhatTheDriverFindsInFilesWithVectors() throws Exception {
    spark.execute(
        "CREATE TABLE job_plain (id int, v string, p int) TBLPROPERTIES ('primary-key' = 'id')");
    fill("job_plain");

    isTheSame("SELECT * FROM job_plain");
    isTheSame("SELECT count(*), sum(id), max(v) FROM job_plain WHERE id BETWEEN 90 AND 360");
  }

  @Test
  void jobFindsWhatTheDriverFindsInPartitionsOfTheKey() throws Exception {
    spark.execute(
        "CREATE TABLE job_parted (id int, v string, p int) PARTITIONED BY (bucket(4, id))"
            + " TBLPROPERTIES ('primary-key' = 'id')");
    fill("job_parted");

    isTheSame("SELECT * FROM job_parted");
  }

  @Test
  void jobFindsTextKeysAndRowsInForeignFiles() throws Exception {
    spark.execute(
        "CREATE TABLE job_text (k string, v int) TBLPROPERTIES ('primary-key' = 'k',"
            + " 'write.format.default' = 'avro')");
    spark.execute("INSERT INTO stock.s.job_text SELECT concat('key', id), id FROM range(200)");
    for (int i = 0; i < 200; i += 9) {
      tables.upsert("job_text", tables.row("job_text", "key" + i, -i));
    }

    isTheSame("SELECT * FROM job_text");
  }

  @Test
  void changesByKeyPlanWithAJobToo() {
    spark.execute(
        "CREATE TABLE job_changed (id int, v string, p int) TBLPROPERTIES ('primary-key' = 'id')");
    fill("job_changed");
    spark.spark.conf().set(BOUND, "0");

    spark.execute("UPDATE job_changed SET v = 'changed' WHERE id < 20");
    spark.execute("DELETE FROM job_changed WHERE id >= 20");

    assertThat(spark.rows("SELECT count(*), count(DISTINCT id), min(v) FROM job_changed"))
        .containsExactly("19|19|changed");
  }

  @Test
  void boundThatIsNoNumberIsRefused() {
    spark.execute(
        "CREATE TABLE job_bound (id int, v string, p int) TBLPROPERTIES ('primary-key' = 'id')");
    fill("job_bound");
    spark.spark.conf().set(BOUND, "many");

    assertThatThrownBy(() -> spark.rows("SELECT * FROM job_bound"))
        .hasMessageContaining(BOUND + " must be a number, got 'many'");
  }
}
