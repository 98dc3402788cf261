package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.multibindings.OptionalBinder;
import io.trino.Session;
import io.trino.execution.FailureInjector;
import io.trino.operator.RetryPolicy;
import io.trino.plugin.exchange.filesystem.FileSystemExchangePlugin;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.FaultTolerantExecutionConnectorTestHelper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Where Trino repeats failed tasks or whole queries, a statement still takes effect once, or not
/// at all.
class RetryTest {
  private static final int STAGES = 3;

  private static final TaskFailures FAILURES = new TaskFailures();

  private static TrinoServer trino;

  @BeforeAll
  static void start() {
    trino = new TrinoServer(1, "s", RetryTest::withRetries);
  }

  private static void withRetries(DistributedQueryRunner.Builder<?> builder) {
    builder
        .addExtraProperties(FaultTolerantExecutionConnectorTestHelper.getExtraProperties())
        .addExtraProperty("query-retry-attempts", "2")
        .addExtraProperty("task-retry-attempts-per-task", "2")
        .setAdditionalModule(
            binder ->
                OptionalBinder.newOptionalBinder(binder, FailureInjector.class)
                    .setBinding()
                    .toInstance(FAILURES))
        .setAdditionalSetup(
            runner -> {
              runner.installPlugin(new FileSystemExchangePlugin());
              runner.loadExchangeManager(
                  "filesystem", Map.of("exchange.base-directories", exchangeFolder().toString()));
            });
  }

  private static Path exchangeFolder() {
    try {
      return Files.createTempDirectory("icewal-exchange");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @AfterAll
  static void stop() {
    trino.close();
  }

  private static Session session(RetryPolicy policy) {
    return Session.builder(trino.runner.getDefaultSession())
        .setSystemProperty("retry_policy", policy.name())
        .setTraceToken(Optional.of(UUID.randomUUID().toString()))
        .build();
  }

  /// Runs a statement of which the first attempt of the first task of a stage fails.
  private static void runFailing(RetryPolicy policy, int stage, String sql) {
    Session session = session(policy);
    FAILURES.failOnce(session.getTraceToken().orElseThrow(), stage);

    trino.runner.execute(session, sql);
  }

  /// Trino repeats no query whose last stage, which publishes, has failed.
  private static int firstRepeated(RetryPolicy policy) {
    return policy == RetryPolicy.QUERY ? 1 : 0;
  }

  /// 1 to 100 in files, 101 to 200 in the log.
  private static void fill(String table, String key) {
    trino.execute(
        "CREATE TABLE " + table + " (id bigint, n bigint) WITH (primary_key = ARRAY[" + key + "])");
    trino.execute("INSERT INTO " + table + " SELECT x, 0 FROM UNNEST(sequence(1, 100)) t(x)");
    trino.tables.materialize(table);
    trino.execute("INSERT INTO " + table + " SELECT x, 0 FROM UNNEST(sequence(101, 200)) t(x)");
  }

  private static String name(String prefix, RetryPolicy policy) {
    return prefix + "_" + policy.name().toLowerCase(java.util.Locale.ENGLISH);
  }

  @ParameterizedTest
  @EnumSource(names = {"TASK", "QUERY"})
  void rowsWithoutKeyAreInsertedOnceWhicheverStageFails(RetryPolicy policy) {
    String table = name("doubled", policy);
    fill(table, "");
    long rows = 200;
    int before = FAILURES.met();
    for (int stage = firstRepeated(policy); stage < STAGES; stage++) {
      runFailing(policy, stage, "INSERT INTO " + table + " SELECT * FROM " + table);
      rows *= 2;

      assertThat(trino.rows("SELECT count(*), count(DISTINCT id) FROM " + table))
          .containsExactly(rows + "|200");
    }
    assertThat(FAILURES.met() - before).isEqualTo(STAGES - firstRepeated(policy));
  }

  @ParameterizedTest
  @EnumSource(names = {"TASK", "QUERY"})
  void changesAreMadeOnceWhicheverStageFails(RetryPolicy policy) {
    String table = name("changed", policy);
    fill(table, "'id'");
    for (int stage = firstRepeated(policy); stage < STAGES; stage++) {
      runFailing(policy, stage, "UPDATE " + table + " SET n = n + 1, id = id + 1000");
    }
    int times = STAGES - firstRepeated(policy);
    assertThat(trino.rows("SELECT count(*), min(id), max(id), min(n), max(n) FROM " + table))
        .containsExactly(
            "200|%d|%d|%d|%d".formatted(times * 1000 + 1, times * 1000 + 200, times, times));

    for (int stage = firstRepeated(policy); stage < STAGES; stage++) {
      runFailing(
          policy,
          stage,
          "MERGE INTO %s t USING (SELECT id FROM %s WHERE id %% 2 = 0) s ON t.id = s.id"
                  .formatted(table, table)
              + " WHEN MATCHED THEN UPDATE SET n = t.n + 1");
    }
    assertThat(trino.rows("SELECT count(*), sum(n) FROM " + table))
        .containsExactly("200|" + times * 300);
  }

  @ParameterizedTest
  @EnumSource(names = {"TASK", "QUERY"})
  void rowsThatAFailedTaskHasStagedAreNotPublished(RetryPolicy policy) {
    String table = name("staged", policy);
    fill(table, "");
    trino.hooks.staged();
    trino.hooks.failNext(1);

    trino.runner.execute(session(policy), "INSERT INTO " + table + " SELECT * FROM " + table);

    assertThat(trino.hooks.failuresLeft()).isZero();
    assertThat(trino.hooks.staged()).isGreaterThan(1);
    assertThat(trino.rows("SELECT count(*) FROM " + table)).containsExactly("400");
  }

  @Test
  void nothingIsSeenOfAQueryWhoseLastStageFailed() {
    fill("unpublished", "'id'");

    assertThatThrownBy(() -> runFailing(RetryPolicy.QUERY, 0, "UPDATE unpublished SET n = 7"))
        .hasMessageContaining("injected");
    assertThat(trino.rows("SELECT count(*), max(n) FROM unpublished")).containsExactly("200|0");
  }

  @ParameterizedTest
  @EnumSource(names = {"TASK", "QUERY", "NONE"})
  void nothingIsSeenOfAStatementThatFailsForGood(RetryPolicy policy) {
    String table = name("never", policy);
    fill(table, "'id'");
    trino.hooks.failNext(Integer.MAX_VALUE);

    for (String sql :
        new String[] {
          "INSERT INTO %s SELECT id + 1000, n FROM %s".formatted(table, table),
          "UPDATE %s SET n = 7".formatted(table),
          "DELETE FROM %s WHERE n = 0".formatted(table),
          "CREATE TABLE copy_of_%s AS SELECT * FROM %s".formatted(table, table)
        }) {
      assertThatThrownBy(() -> trino.runner.execute(session(policy), sql))
          .hasMessageContaining("was lost");
    }
    trino.hooks.failNext(0);

    assertThat(trino.rows("SELECT count(*), max(id), max(n) FROM " + table))
        .containsExactly("200|200|0");
    assertThat(trino.rows("SHOW TABLES LIKE 'copy_of_" + table + "'")).isEmpty();
    trino.tables.materialize(table);
    assertThat(trino.rows("SELECT count(*), max(n) FROM stock.s." + table))
        .containsExactly("200|0");
    trino.execute("UPDATE " + table + " SET n = 1 WHERE id = 1");
    assertThat(trino.rows("SELECT sum(n) FROM " + table)).containsExactly("1");
  }
}
