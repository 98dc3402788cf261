package io.icewal.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.cli.TestServer;
import io.icewal.client.IcewalClient;
import io.icewal.client.PutLimits;
import io.icewal.protocol.TableDefinition;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Flight, Trino and Spark, processes all, write one keyed table at once, while a maintenance loop
/// materializes it all the time. Whenever they pause, each of them reads what was acknowledged:
/// rows of keys that one of them has for itself, and counters that both engines count up by UPDATE
/// and MERGE, so that a lost update is seen. Counters that Flight sets meanwhile are never set
/// back.
@Tag("long")
class ThreeEnginesTest {
  private static final TableIdentifier TABLE = TableIdentifier.of("race", "t");
  private static final int ROUNDS = 3;
  private static final int STATEMENTS = 12;
  private static final int COUNTERS = 8;
  private static final int TRIES_MAX = 200;
  private static final PutLimits LIMITS = new PutLimits(4, 1 << 20, Load.PATIENT);

  /// Counters from here on are set by Flight, too, to this times the round.
  private static final int SET_COUNTERS = 20;

  private static final long SET = 1_000;
  private static final Pattern CONFLICT = Pattern.compile("(?i)read again|run it again|conflict");

  @TempDir private Path folder;
  private final BufferAllocator allocator = new RootAllocator();
  private final Map<Long, AtomicLong> counters = new ConcurrentHashMap<>();
  private final Map<Long, String> inserted = new ConcurrentHashMap<>();
  private final List<Producer> producers = new ArrayList<>();

  /// Runs a statement, in one line.
  private interface Engine {
    void run(String sql) throws SQLException, IOException;
  }

  @Test
  void everyReaderSeesWhatAllThreeHaveWritten() throws Exception {
    try (Deployment deployment = new Deployment(folder, 1_024)) {
      deployment.server();
      try (IcewalClient client = IcewalClient.connect(deployment.uri(), allocator)) {
        client.create(
            TableDefinition.of(
                TABLE,
                new Schema(
                    List.of(
                        NestedField.required(1, "id", Types.LongType.get()),
                        NestedField.optional(2, "v", Types.StringType.get())),
                    Set.of(1))));
        try (Connection trino = DriverManager.getConnection(deployment.trino(), "t", null);
            SparkProcess spark = SparkProcess.start(deployment.config(), folder)) {
          for (int round = 1; round <= ROUNDS; round++) {
            write(deployment, client, trino, spark, round);
            check(deployment, trino, spark, round);
          }
        }
        assertThat(TestServer.icewal("", "flush", "--server", deployment.uri().toString()).code())
            .isZero();
        assertThat(deployment.plainRows(TABLE)).isEqualTo(flightRows(deployment));
      }
    }
    allocator.close();
  }

  private void write(
      Deployment deployment, IcewalClient client, Connection trino, SparkProcess spark, int round)
      throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Producer producer =
            new Producer(client, allocator, TABLE, true, 2 * round + i, 40, LIMITS, () -> {});
        producers.add(producer);
        running.add(threads.submit(producer));
      }
      set(deployment, (round - 1) * 3 + 1);
      running.add(
          threads.submit(
              () -> {
                set(deployment, (round - 1) * 3 + 2);
                set(deployment, (round - 1) * 3 + 3);
              }));
      running.add(threads.submit(() -> statements(sql -> execute(trino, sql), "varchar", round)));
      running.add(threads.submit(() -> statements(spark::run, "string", -round)));
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  /// Sets counters by Flight.
  private static void set(Deployment deployment, long to) {
    String rows =
        List.of(0, 1, 2).stream()
            .map(i -> "{\"id\":%d,\"v\":\"%d\"}\n".formatted(SET_COUNTERS + i, to * SET))
            .collect(Collectors.joining());
    TestServer.Result result =
        TestServer.icewal(
            rows, "load", TABLE.toString(), "-", "--server", deployment.uri().toString());
    assertThat(result.code()).as(result.err()).isZero();
  }

  private static void execute(Connection trino, String sql) throws SQLException {
    try (Statement statement = trino.createStatement()) {
      statement.execute(sql);
    }
  }

  /// @param text the engine's name of the type
  /// @param seed other ones for each engine and round
  private Void statements(Engine engine, String text, int seed) throws Exception {
    Random random = new Random(seed);
    String next = "CAST(CAST(t.v AS bigint) + 1 AS " + text + ")";
    for (int i = 0; i < STATEMENTS; i++) {
      switch (i % 3) {
        case 0 -> merge(engine, random, next);
        case 1 -> {
          long counter = SET_COUNTERS + random.nextInt(3);
          again(
              engine,
              "UPDATE icewal.race.t SET v = "
                  + next.replace("t.v", "v")
                  + " WHERE id = "
                  + counter);
        }
        default -> {
          long id = 50_000_000L + 1_000L * (seed + ROUNDS) + i;
          String v = "inserted by " + seed;
          engine.run("INSERT INTO icewal.race.t VALUES (%d, '%s')".formatted(id, v));
          inserted.put(id, id + "," + v);
        }
      }
    }
    return null;
  }

  /// Counts two counters up, which need not be there yet.
  private void merge(Engine engine, Random random, String next) throws Exception {
    long one = random.nextInt(COUNTERS);
    long two = (one + 1 + random.nextInt(COUNTERS - 1)) % COUNTERS;
    again(
        engine,
        "MERGE INTO icewal.race.t t USING (SELECT CAST(%d AS bigint) AS id UNION ALL SELECT %d) s"
                .formatted(one, two)
            + " ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = "
            + next
            + " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, '1')");
    for (long counter : new long[] {one, two}) {
      counters.computeIfAbsent(counter, key -> new AtomicLong()).incrementAndGet();
    }
  }

  /// Until it takes effect: a conflict says that it has not.
  private void again(Engine engine, String sql) throws Exception {
    for (int i = 0; i < TRIES_MAX; i++) {
      try {
        engine.run(sql);
        return;
      } catch (SQLException e) {
        if (!CONFLICT.matcher(String.valueOf(e.getMessage())).find()) {
          throw e;
        }
      }
    }
    throw new AssertionError(sql + " met conflicts " + TRIES_MAX + " times");
  }

  private void check(Deployment deployment, Connection trino, SparkProcess spark, int round)
      throws Exception {
    List<String> flight = flightRows(deployment);
    assertThat(sorted(trinoRows(trino), Function.identity())).as("Trino").isEqualTo(flight);
    assertThat(sorted(spark.run("SELECT id, v FROM icewal.race.t"), row -> row.replace('|', ',')))
        .as("Spark")
        .isEqualTo(flight);
    assertThat(producers)
        .allSatisfy(producer -> assertThat(producer.failure()).isNull())
        .allMatch(Producer::isDone);

    Map<Long, String> expected = new ConcurrentHashMap<>(inserted);
    producers.forEach(producer -> producer.expected(expected));
    counters.forEach((id, count) -> expected.put(id, id + "," + count));
    List<String> set = flight.stream().filter(ThreeEnginesTest::isSet).toList();
    assertThat(flight)
        .as("round %d", round)
        .filteredOn(row -> !isSet(row))
        .isEqualTo(expected.values().stream().sorted().toList());
    assertThat(set)
        .hasSize(3)
        .allSatisfy(
            row ->
                assertThat(Long.parseLong(row.split(",")[1]))
                    .as("set last to %d", 3L * round * SET)
                    .isBetween(3L * round * SET, 3L * round * SET + 2L * STATEMENTS));
  }

  private static boolean isSet(String row) {
    long id = Long.parseLong(row.split(",")[0]);
    return id >= SET_COUNTERS && id < SET_COUNTERS + 3;
  }

  private static List<String> flightRows(Deployment deployment) {
    TestServer.Result result =
        TestServer.icewal(
            "",
            "cat",
            TABLE.toString(),
            "--format",
            "csv",
            "--server",
            deployment.uri().toString());
    assertThat(result.code()).as(result.err()).isZero();
    return sorted(result.out().lines().skip(1).toList(), Function.identity());
  }

  private static List<String> trinoRows(Connection trino) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = trino.createStatement();
        ResultSet result = statement.executeQuery("SELECT id, v FROM icewal.race.t")) {
      while (result.next()) {
        rows.add(result.getLong(1) + "," + result.getString(2));
      }
    }
    return rows;
  }

  private static List<String> sorted(List<String> rows, Function<String, String> change) {
    return rows.stream().map(change).sorted().toList();
  }
}
