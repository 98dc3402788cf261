package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.TestTables;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;

/// A session whose executors are processes of their own: reads whose keys they look up, and a
/// materialization that they do while one of them is killed. Its arguments are a folder and the
/// options of executors' JVMs; exits with 0 if all is right.
final class ClusterRun {
  private static final String LOOKUPS = "spark.sql.icewal.driver-lookups-max";
  private static final String DRIVER_BYTES = "spark.sql.icewal.materialize-driver-bytes-max";
  private static final String PART_BYTES = "spark.sql.icewal.materialize-part-bytes";
  private static final int BASE = 60_000;

  private final SparkSession spark;
  private final TestTables tables;

  private ClusterRun(SparkSession spark, TestTables tables) {
    this.spark = spark;
    this.tables = tables;
  }

  /// Kills an executor when some tasks of the second stage of a materialization have ended.
  private static final class Killer extends SparkListener {
    private final long pid;
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    Killer(long pid) {
      this.pid = pid;
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd task) {
      if (!task.taskInfo().successful()) {
        failed.incrementAndGet();
      }
      if (task.taskType().equals("ResultTask") && ended.incrementAndGet() == 2) {
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    try (TestTables tables = new TestTables(folder)) {
      SparkSession spark =
          SparkSession.builder()
              .master("local-cluster[2,1,1024]")
              .appName("icewal")
              .config("spark.ui.enabled", "false")
              .config("spark.driver.bindAddress", "127.0.0.1")
              .config("spark.driver.host", "127.0.0.1")
              .config("spark.executor.memory", "1g")
              .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
              .config("spark.executor.extraJavaOptions", arguments[1])
              .config("spark.sql.shuffle.partitions", "2")
              .config("spark.sql.warehouse.dir", folder + "/own")
              .config("spark.sql.defaultCatalog", "icewal")
              .config("spark.sql.catalog.icewal", IcewalCatalog.class.getName())
              .config("spark.sql.catalog.icewal.data", folder.toString())
              .getOrCreate();
      try {
        new ClusterRun(spark, tables).run();
      } finally {
        spark.stop();
      }
    }
  }

  private void run() throws Exception {
    spark.sql("CREATE NAMESPACE s");
    spark.sql("USE icewal.s");
    for (String table : List.of("alone", "spread", "undisturbed")) {
      fill(table);
    }
    long base = tables.load("spread").currentSnapshot().snapshotId();
    String rows = rows("spread");
    assertThat(rows).isEqualTo(rows("alone"));
    spark.conf().set(LOOKUPS, "0");
    assertThat(rows("spread")).as("looked up by executors").isEqualTo(rows);
    spark.conf().unset(LOOKUPS);
    System.out.println("rows " + rows);

    spark.conf().set(PART_BYTES, Integer.toString(1 << 18));
    System.out.println("alone " + materialize("alone", Long.MAX_VALUE) + " ms");
    System.out.println("undisturbed " + materialize("undisturbed", 0) + " ms");
    Set<Long> before = executors();
    Killer killer = new Killer(before.iterator().next());
    spark.sparkContext().addSparkListener(killer);
    System.out.println("spread " + materialize("spread", 0) + " ms");

    assertThat(tables.load("spread").currentSnapshot().parentId()).isEqualTo(base);
    assertThat(killer.failed.get()).as("tasks that the killed executor did not end").isPositive();
    assertThat(executors()).doesNotContain(killer.pid);
    System.out.println("failed tasks " + killer.failed.get());
    System.out.println("files " + count("SELECT count(*) FROM s.spread.data_files"));
    assertThat(rows("undisturbed")).isEqualTo(rows);
    isTheSame("spread", rows);
  }

  /// 60,000 rows in files; in the log, replacements and new rows, five times over, and deletes.
  private void fill(String table) {
    spark.sql(
        "CREATE TABLE "
            + table
            + " (id bigint, v string, n double) TBLPROPERTIES ('primary-key' = 'id')");
    spark.sql(
        "INSERT INTO " + table + " SELECT id, concat('base', id), id / 3 FROM range(" + BASE + ")");
    materialize(table, Long.MAX_VALUE);
    for (int round = 0; round < 5; round++) {
      spark.sql(
          "INSERT INTO "
              + table
              + " SELECT id * 3 + "
              + (round % 2)
              + ", concat('round"
              + round
              + "-', id), id / 7 FROM range(24000)");
    }
    spark.sql("DELETE FROM " + table + " WHERE id BETWEEN 1000 AND 1999");
  }

  private long materialize(String table, long driverBytes) {
    spark.conf().set(DRIVER_BYTES, Long.toString(driverBytes));
    long start = System.nanoTime();
    spark.sql("CALL icewal.system.materialize('s." + table + "')");
    return Duration.ofNanos(System.nanoTime() - start).toMillis();
  }

  private String rows(String table) {
    return spark
        .sql(
            "SELECT count(*), count(DISTINCT id), sum(id), bit_xor(xxhash64(id, v, n)) FROM "
                + table)
        .collectAsList()
        .toString();
  }

  private long count(String sql) {
    return spark.sql(sql).collectAsList().get(0).getLong(0);
  }

  private void isTheSame(String table, String rows) {
    String inFiles = "(SELECT id, v, n FROM %s WITH (fresh = 'false'))";
    assertThat(rows(inFiles.formatted(table))).isEqualTo(rows);
    String continued = "SELECT id, v, n, _row_id FROM %s WHERE _row_id < " + BASE;
    assertThat(
            count(
                "SELECT count(*) FROM ("
                    + continued.formatted(table)
                    + " EXCEPT "
                    + continued.formatted("alone")
                    + ")"))
        .as("rows of " + table + " that do not continue what they do in one process")
        .isZero();
    assertThat(count("SELECT count(*) FROM (" + continued.formatted(table) + ")"))
        .isEqualTo(count("SELECT count(*) FROM (" + continued.formatted("alone") + ")"));
    assertThat(count("SELECT count(*) - count(DISTINCT _row_id) FROM " + table)).isZero();
    spark.sql("INSERT INTO " + table + " SELECT id, 'last', 0 FROM range(" + BASE + ")");
    materialize(table, Long.MAX_VALUE);
    assertThat(count("SELECT count(*) - count(DISTINCT id) FROM " + table)).isZero();
  }

  private Set<Long> executors() {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    List<Integer> tasks = IntStream.range(0, 40).boxed().toList();
    Set<Long> pids =
        new TreeSet<>(
            context
                .parallelize(tasks, tasks.size())
                .map(task -> ProcessHandle.current().pid())
                .collect());
    assertThat(pids).doesNotContain(ProcessHandle.current().pid());
    return pids;
  }
}
