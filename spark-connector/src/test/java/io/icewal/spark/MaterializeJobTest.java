package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.icewal.TestTables;
import io.icewal.materialize.CyclePlan;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartResult;
import io.icewal.materialize.PartServices;
import io.icewal.materialize.PartTask;
import io.icewal.materialize.Parts;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.parquet.KeyPageCache;
import io.icewal.spark.materialize.SparkExecutor;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.storage.StoreOp;
import io.icewal.table.IcewalTables;
import io.icewal.table.ManifestCache;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Materializations that tasks of Spark work on.
@ExtendWith(SparkServer.Shared.class)
class MaterializeJobTest {
  private static final String DRIVER_BYTES = "spark.sql.icewal.materialize-driver-bytes-max";
  private static final String PART_BYTES = "spark.sql.icewal.materialize-part-bytes";

  private final SparkServer spark;
  private final TestTables tables;

  MaterializeJobTest(SparkServer spark) {
    this.spark = spark;
    this.tables = spark.tables;
  }

  @BeforeEach
  void spread() {
    spark.spark.conf().set(DRIVER_BYTES, "0");
    spark.spark.conf().set(PART_BYTES, "3000");
  }

  @AfterEach
  void unset() {
    spark.spark.conf().unset(DRIVER_BYTES);
    spark.spark.conf().unset(PART_BYTES);
  }

  private void fill(String table) {
    spark.execute("INSERT INTO " + table + " SELECT id, 'a', id % 3 FROM range(400)");
    spark.execute("CALL system.materialize('" + table + "')");
    for (int round = 0; round < 4; round++) {
      spark.execute(
          "INSERT INTO "
              + table
              + " SELECT id * 2, '"
              + round
              + "', (id + "
              + round
              + ") % 3 FROM range("
              + round * 50
              + ", 250)");
    }
    tables.delete(table, tables.row(table, 5L), tables.row(table, 6L));
  }

  private void endsAsTheLogSays(String table) {
    List<String> before = spark.rows("SELECT * FROM " + table);
    String ids =
        "SELECT id, _row_id FROM stock.s." + table + " WHERE id < 400 AND id NOT IN (5, 6)";
    List<String> rowIds = spark.rows(ids);
    int snapshots = spark.rows("SELECT snapshot_id FROM s." + table + ".snapshots").size();

    assertThat(spark.rows("CALL system.materialize('" + table + "')").get(0)).startsWith("702|1|");

    assertThat(before).hasSize(448);
    assertThat(spark.rows("SELECT * FROM stock.s." + table)).isEqualTo(before);
    assertThat(spark.rows(ids)).isEqualTo(rowIds);
    assertThat(spark.rows("SELECT snapshot_id FROM s." + table + ".snapshots"))
        .hasSize(snapshots + 1);
    assertThat(spark.rows("CALL system.materialize('" + table + "')").get(0)).startsWith("0|0|");
    spark.execute("INSERT INTO " + table + " SELECT id, 'last', 0 FROM range(500)");
    tables.materialize(table);
    assertThat(spark.rows("SELECT count(*), count(DISTINCT id), min(v) FROM stock.s." + table))
        .containsExactly("500|500|last");
  }

  @Test
  void keyRangesOfTasksEndAsTheLogSays() {
    spark.execute(
        "CREATE TABLE part_keys (id bigint, v string, p bigint) TBLPROPERTIES ('primary-key' = 'id')");
    fill("part_keys");
    endsAsTheLogSays("part_keys");
  }

  @Test
  void keyRangesOfTasksEndAsTheLogSaysInPartitionsBesideTheKey() {
    spark.execute(
        "CREATE TABLE part_beside (id bigint, v string, p bigint) PARTITIONED BY (p)"
            + " TBLPROPERTIES ('primary-key' = 'id')");
    fill("part_beside");
    endsAsTheLogSays("part_beside");
  }

  @Test
  void executorsWriteTheRowsOfATableThatIsMadeOrReplaced() {
    for (String create : List.of("CREATE TABLE", "CREATE OR REPLACE TABLE")) {
      spark.execute(
          create
              + " part_made PARTITIONED BY (p) TBLPROPERTIES ('primary-key' = 'id') AS"
              + " SELECT id % 900 AS id, '"
              + create
              + "' AS v, id % 3 AS p FROM range(0, 1000, 1, 4)");

      assertThat(
              spark.rows(
                  "SELECT count(*), count(DISTINCT id), sum(id - p) % 3, min(v)"
                      + " FROM stock.s.part_made"))
          .containsExactly("900|900|0|" + create);
      Table made = tables.load("part_made");
      assertThat(made.currentSnapshot().addedDataFiles(made.io())).hasSizeGreaterThan(6);
    }
    spark.execute("DELETE FROM part_made WHERE id >= 10");
    assertThat(spark.rows("CALL system.materialize('part_made')").get(0)).startsWith("890|1|");
    assertThat(spark.rows("SELECT count(*) FROM stock.s.part_made")).containsExactly("10");
  }

  @Test
  void groupsOfAppendsAndATruncationEndAsTheLogSays() {
    spark.execute("CREATE TABLE part_appends (n bigint)");
    spark.execute("INSERT INTO part_appends VALUES (1), (2)");
    spark.execute("CALL system.materialize('part_appends')");
    spark.execute("INSERT INTO part_appends VALUES (3)");
    spark.execute("TRUNCATE TABLE part_appends");
    for (int i = 0; i < 3; i++) {
      spark.execute("INSERT INTO part_appends SELECT id FROM range(1000)");
    }

    spark.execute("CALL system.materialize('part_appends')");

    assertThat(spark.rows("SELECT count(*), count(DISTINCT n), sum(n) FROM stock.s.part_appends"))
        .containsExactly("3000|1000|1498500");
    assertThat(
            tables
                .load("part_appends")
                .currentSnapshot()
                .addedDataFiles(tables.load("part_appends").io()))
        .hasSizeGreaterThan(2);
  }

  @Test
  void whatAnExecutorSaysIsToldAndItsRowsWait() {
    spark.execute(
        "CREATE TABLE part_refused (id bigint, v string, p bigint)"
            + " TBLPROPERTIES ('primary-key' = 'id')");
    fill("part_refused");
    spark.execute("INSERT INTO part_refused VALUES (1, NULL, 1)");
    tables
        .load("part_refused")
        .updateSchema()
        .allowIncompatibleChanges()
        .requireColumn("v")
        .commit();

    assertThatThrownBy(() -> spark.execute("CALL system.materialize('part_refused')"))
        .hasMessageContaining("part_refused cannot take its rows: column 'v' is required now");
    tables.load("part_refused").updateSchema().makeColumnOptional("v").commit();
    spark.execute("CALL system.materialize('part_refused')");
    assertThat(spark.rows("SELECT * FROM stock.s.part_refused WHERE id = 1"))
        .containsExactly("1|null|1");
  }

  /// One cycle, worked on by tasks of Spark; something happens before each job but the one that
  /// sorts.
  private MaterializeResult step(String table, Runnable before) {
    Warehouse warehouse =
        Warehouse.of(WarehouseSettings.of("icewal", Map.of("data", spark.folder.toString())));
    try (BufferAllocator rows =
        warehouse.allocator().newChildAllocator("test", 0, Long.MAX_VALUE)) {
      PartServices services =
          new PartServices(
              MaterializeConfig.defaults(), rows, new ManifestCache(), new KeyPageCache());
      PartExecutor executor = new SparkExecutor(spark.spark, warehouse.settings(), services);
      return new Materializer(
              new IcewalTables(tables.catalog()),
              warehouse.tails(),
              services,
              new Interrupted(executor, before),
              warehouse.random())
          .step(TestTables.name(table), tables.load(table).uuid());
    }
  }

  private record Interrupted(PartExecutor executor, Runnable before) implements PartExecutor {
    @Override
    public long cycleBytesMax() {
      return executor.cycleBytesMax();
    }

    @Override
    public long cycleRowsMax() {
      return executor.cycleRowsMax();
    }

    @Override
    public Parts begin(CyclePlan plan) {
      Parts parts = executor.begin(plan);
      return new Parts() {
        @Override
        public List<PartResult> run(PartTask task, Table now) {
          before.run();
          return parts.run(task, now);
        }

        @Override
        public void close() {
          parts.close();
        }
      };
    }
  }

  private IcewalException failure(String table, Runnable read) {
    spark.execute(
        "CREATE TABLE "
            + table
            + " (id bigint, v string, p bigint) TBLPROPERTIES ('primary-key' = 'id')");
    fill(table);
    AtomicBoolean armed = new AtomicBoolean();
    for (int i = 0; i < 200; i++) {
      spark.logFaults.before(StoreOp.GET, key -> armed.get(), read);
    }
    try {
      return catchThrowableOfType(IcewalException.class, () -> step(table, () -> armed.set(true)));
    } finally {
      armed.set(false);
    }
  }

  @Test
  void faultOfATaskIsToldAsOneAndNotAsWhatAnotherTryMends() {
    IcewalException told =
        failure(
            "part_fault",
            () -> {
              throw new IllegalStateException("no such state");
            });

    assertThat(told.kind()).isEqualTo(ErrorKind.INTERNAL);
    assertThat(told)
        .hasMessageContaining("part_fault failed")
        .hasMessageEndingWith("java.lang.IllegalStateException: no such state");
    spark.execute("CALL system.materialize('part_fault')");
    assertThat(spark.rows("SELECT count(*) FROM stock.s.part_fault")).containsExactly("448");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void cancelledJobIsToldAsOneAndAnotherTryMendsIt() {
    CountDownLatch told = new CountDownLatch(1);
    IcewalException cancelled;
    try {
      cancelled =
          failure(
              "part_cancelled",
              () -> {
                spark.spark.sparkContext().cancelAllJobs();
                await(told);
              });
    } finally {
      told.countDown();
    }

    assertThat(cancelled.kind()).as(cancelled.getMessage()).isEqualTo(ErrorKind.UNAVAILABLE);
    assertThat(cancelled).hasMessageContaining("part_cancelled was cancelled");
    spark.execute("CALL system.materialize('part_cancelled')");
    assertThat(spark.rows("SELECT count(*) FROM stock.s.part_cancelled")).containsExactly("448");
  }

  private String metadata(String table) {
    return ((HasTableOperations) tables.load(table)).operations().current().metadataFileLocation();
  }

  @Test
  void metadataFileMayGoWhileExecutorsWork() {
    spark.execute(
        "CREATE TABLE part_metadata (id bigint, v string, p bigint) TBLPROPERTIES ('primary-key' ="
            + " 'id', 'write.metadata.delete-after-commit.enabled' = 'true',"
            + " 'write.metadata.previous-versions-max' = '1')");
    fill("part_metadata");
    List<String> rows = spark.rows("SELECT * FROM part_metadata");
    String planned = metadata("part_metadata");
    AtomicInteger jobs = new AtomicInteger();

    MaterializeResult result =
        step(
            "part_metadata",
            () -> {
              jobs.incrementAndGet();
              for (int i = 0; i < 3; i++) {
                tables.load("part_metadata").updateProperties().set("turn", "" + i).commit();
              }
              assertThat(tables.load("part_metadata").io().newInputFile(planned).exists())
                  .isFalse();
            });

    assertThat(result.status()).isEqualTo(MaterializeResult.Status.COMMITTED);
    assertThat(jobs.get()).isEqualTo(1);
    assertThat(spark.rows("SELECT * FROM stock.s.part_metadata")).isEqualTo(rows);
  }

  @Test
  @Tag("spark-4.1")
  void filesMayBeReplacedAndExpiredWhileExecutorsWork() {
    spark.execute(
        "CREATE TABLE part_expired (id bigint, v string, p bigint)"
            + " TBLPROPERTIES ('primary-key' = 'id')");
    fill("part_expired");
    List<String> rows = spark.rows("SELECT * FROM part_expired");
    String ids = "SELECT id, _row_id FROM stock.s.part_expired WHERE id < 400 AND id NOT IN (5, 6)";
    List<String> rowIds = spark.rows(ids);
    AtomicInteger jobs = new AtomicInteger();

    MaterializeResult result =
        step(
            "part_expired",
            () -> {
              if (jobs.getAndIncrement() == 0) {
                spark.execute(
                    "CALL system.rewrite_data_files(table => 's.part_expired', options =>"
                        + " map('rewrite-all', 'true'))");
                spark.execute(
                    "CALL system.expire_snapshots(table => 's.part_expired', older_than =>"
                        + " TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)");
              }
            });

    assertThat(result.status()).isEqualTo(MaterializeResult.Status.COMMITTED);
    assertThat(jobs.get()).isEqualTo(2);
    assertThat(spark.rows("SELECT * FROM stock.s.part_expired")).isEqualTo(rows);
    assertThat(spark.rows(ids)).isEqualTo(rowIds);
  }

  @Test
  void boundThatIsNoNumberIsRefused() {
    spark.spark.conf().set(PART_BYTES, "0");
    spark.execute("CREATE TABLE part_bound (n bigint)");

    assertThatThrownBy(() -> spark.execute("CALL system.materialize('part_bound')"))
        .hasMessageContaining(PART_BYTES + " must be at least 1, got 0");
  }
}
