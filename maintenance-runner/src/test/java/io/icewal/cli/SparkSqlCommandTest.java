package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.JavaProcess;
import io.icewal.RestCatalogServer;
import io.icewal.cli.spark.SparkParts;
import io.icewal.cli.spark.SparkSession;
import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.s3.S3ProxyServer;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.iceberg.catalog.Catalog;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `icewal spark-sql` with Spark in a process of its own, which has Spark, iceberg-spark-runtime
/// and icewal's jar, and nothing else; a Flight server of this process works on the same folder.
@Tag("slow")
class SparkSqlCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private static Path folder;
  private static TestServer flight;

  @BeforeAll
  static void start() throws Exception {
    System.setProperty(
        SparkParts.FOLDER, SparkPartsOfBuild.write(folder.resolve("run/parts")).toString());
    System.setProperty("icewal.spark.options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx1g");
    flight = TestServer.withoutMaintenance(folder.resolve("data"));
  }

  @AfterAll
  static void stop() {
    flight.close();
    System.clearProperty(SparkParts.FOLDER);
    System.clearProperty("icewal.spark.options");
  }

  private static TestServer.Result sparkSql(String input, String... arguments) {
    return TestServer.icewal(
        input,
        Stream.concat(
                Stream.of("spark-sql", "--data", folder.resolve("data").toString()),
                Stream.of(arguments))
            .toArray(String[]::new));
  }

  private static void assertNothingIsLeft() throws Exception {
    try (Stream<Path> left = Files.list(folder.resolve("run"))) {
      assertThat(left.map(path -> path.getFileName().toString())).containsExactly("parts");
    }
  }

  @Test
  void whatFlightAcknowledgedIsSeenByTheNextStatementAndTheOtherWayRound() throws Exception {
    flight.run("table", "create", "both.t", "--key", "id", "--columns", "id bigint, s string");
    flight.runWithInput("{\"id\":1,\"s\":\"a\"}\n{\"id\":2,\"s\":\"b\"}\n", "load", "both.t", "-");

    TestServer.Result result =
        sparkSql(
            "UPDATE both.t SET s = 'c;' WHERE id = 2; -- a comment;\nDELETE FROM both.t WHERE id = 1;"
                + "SELECT id, s, '' e, NULL n FROM both.t",
            "--format",
            "csv");

    assertThat(result.out()).as(result.err()).isEqualTo("id,s,e,n\r\n2,c;,\"\",\r\n");
    assertThat(result.err()).isEqualTo("icewal: UPDATE\nicewal: DELETE\n");
    assertThat(result.code()).isZero();
    assertThat(flight.run("cat", "both.t", "--format", "csv").out()).isEqualTo("id,s\r\n2,c;\r\n");
    assertNothingIsLeft();
  }

  @Test
  void tablesThatQueriesMadeLeaveNothingInTheLogThatMaintenanceDoesNotKnow() {
    TestServer.Result made =
        sparkSql(
            "CREATE NAMESPACE queried; USE icewal.queried;"
                + "CREATE TABLE q TBLPROPERTIES ('primary-key' = 'id') AS SELECT 1 AS id, 'a' AS s;"
                + "CREATE OR REPLACE TABLE q TBLPROPERTIES ('primary-key' = 'id')"
                + " AS SELECT 2 AS id, 'b' AS s;"
                + "CREATE TABLE r AS SELECT 1 AS n; CREATE OR REPLACE TABLE r AS SELECT 2 AS n;"
                + "INSERT INTO q VALUES (3, 'c'); INSERT INTO r VALUES 3");
    assertThat(made.code()).as(made.err()).isZero();

    TestServer.Result maintained =
        TestServer.icewal("", "maintain", "--once", "--data", folder.resolve("data").toString());

    assertThat(maintained.code()).as(maintained.err()).isZero();
    assertThat(maintained.err()).isEmpty();
    assertThat(maintained.out())
        .contains("queried.q is materialized up to position ")
        .contains("queried.r is materialized up to position ");
  }

  @Test
  void theFirstStatementThatFailsEndsTheRunWithOneLineAndItsExitCode() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("statements.sql"), "SELECT 1 AS one; SELECT * FROM none.t; SELECT 2");

    TestServer.Result result = sparkSql("", "--file", file.toString());

    assertThat(result.out()).contains("one").endsWith("(1 row)\n").doesNotContain("2");
    assertThat(result.err())
        .startsWith("icewal: statement 2 of 3: [TABLE_OR_VIEW_NOT_FOUND] ")
        .hasLineCount(1)
        .doesNotContain("at org.apache");
    assertThat(result.code()).isEqualTo(ExitCode.INVALID);
    assertNothingIsLeft();
  }

  @Test
  void valuesAndErrorsOfEveryKindCrossTheProcesses() throws Exception {
    try (SparkSession spark = session()) {
      assertThat(json(spark, VALUES)).isEqualTo(JSON.readTree(VALUES_PRINTED));
      assertThat(json(spark, "SELECT count(*) n FROM range(100000)").get(0).get("n").asInt())
          .isEqualTo(100_000);
      assertThat(json(spark, "SELECT id FROM range(2500) ORDER BY id")).hasSize(2500);

      assertFails(spark, "SELECT 1 / 0", ErrorKind.INVALID, "[DIVIDE_BY_ZERO]");
      assertFails(spark, "SELEC 1", ErrorKind.INVALID, "[PARSE_SYNTAX_ERROR]");
      assertFails(
          spark, "SELECT raise_error('x') FROM range(5)", ErrorKind.INVALID, "[USER_RAISED");
      assertFails(
          spark,
          "CREATE TABLE none.t (id int) TBLPROPERTIES ('primary-key' = 'x')",
          ErrorKind.INVALID,
          "primary-key names column 'x'");
      assertFails(
          spark,
          "SELECT id a, id a FROM range(0, 1000000000000, 1, 100000)",
          ErrorKind.INVALID,
          "two columns are called 'a'"); // The rows that nobody takes are cancelled.
      assertThat(json(spark, "SELECT 1 a").toString()).isEqualTo("[{\"a\":1}]");
    }
    assertNothingIsLeft();
  }

  private static final String VALUES =
      """
      SELECT 'a;b' s, CAST(NULL AS string) n, '' e, true b, 1e10D d, double('NaN') nan, 19.90 c,
        TIMESTAMP '2026-01-05 10:00:00.123456' z, TIMESTAMP_NTZ '2026-01-05 10:00:00.5' t,
        DATE '1969-12-31' day, X'00ff' bytes, array(TIMESTAMP '2026-03-29 02:30:00.000001', NULL) ts,
        map('k', X'01') m, map(2, double('NaN')) m2, named_struct('x', 7, 'y', array(DATE '1500-02-28')) r,
        parse_json('{"a":[1]}') v, INTERVAL '1' DAY i, 1Y tiny
      """;
  private static final String VALUES_PRINTED =
      """
      [{"s": "a;b", "n": null, "e": "", "b": true, "d": 1.0E10, "nan": "NaN", "c": 19.90,
        "z": "2026-01-05T10:00:00.123456Z", "t": "2026-01-05T10:00:00.500000",
        "day": "1969-12-31", "bytes": "AP8=", "ts": ["2026-03-29T02:30:00.000001Z", null],
        "m": {"k": "AQ=="}, "m2": [{"key": 2, "value": "NaN"}], "r": {"x": 7, "y": ["1500-02-28"]},
        "v": {"a": [1]}, "i": "PT24H", "tiny": 1}]
      """;

  /// With log and tables on S3, by the file that all processes share: the jar, and Iceberg's bundle
  /// of the SDK.
  @Test
  void aSharedConfigurationOnS3IsReadAndWritten() throws Exception {
    try (S3ProxyServer s3 = S3ProxyServer.start(folder.resolve("s3")).withBucket("lake")) {
      assertReadAndWritten(config(s3));
    }
  }

  @Test
  void aSharedConfigurationWithARestCatalogIsReadAndWritten() throws Exception {
    Path behind =
        Files.writeString(
            folder.resolve("behind.properties"),
            """
            catalog.type=jdbc
            catalog.jdbc.schema-version=V1
            catalog.uri=jdbc:sqlite:%1$s/rest.db
            catalog.warehouse=file://%1$s/rest
            log.root=%1$s/rest-log
            """
                .formatted(folder));
    Catalog catalog = IcewalConfig.load(behind).openCatalog();
    try (RestCatalogServer rest = new RestCatalogServer(catalog)) {
      assertReadAndWritten(
          Files.writeString(
              folder.resolve("rest.properties"),
              """
              catalog.type=rest
              catalog.uri=%2$s
              catalog.warehouse=file://%1$s/rest
              log.root=%1$s/rest-log
              """
                  .formatted(folder, rest.uri())));
    } finally {
      ((Closeable) catalog).close();
    }
  }

  private static void assertReadAndWritten(Path config) throws Exception {
    try (TestServer server = TestServer.withoutMaintenance(IcewalConfig.load(config));
        SparkSession spark =
            SparkSession.start(SparkParts.built(), Map.entry("config", config.toString()))) {
      server.run("table", "create", "s.t", "--columns", "id bigint, v string", "--key", "id");
      server.runWithInput("{\"id\":1,\"v\":\"a\"}\n{\"id\":2,\"v\":\"b\"}\n", "load", "s.t", "-");
      json(spark, "UPDATE s.t SET v = 'c' WHERE id = 2");
      server.run("flush", "s.t", "--timeout", "1ms"); // Makes it due; nobody materializes here.
      json(spark, "CREATE TABLE s.files AS SELECT * FROM s.t");
      json(spark, "INSERT INTO s.files VALUES (3, 'd')");

      assertThat(json(spark, "SELECT * FROM s.files ORDER BY id").toString())
          .isEqualTo("[{\"id\":1,\"v\":\"a\"},{\"id\":2,\"v\":\"c\"},{\"id\":3,\"v\":\"d\"}]");
      assertThat(server.run("cat", "s.t", "--format", "csv").out()).contains("2,c");
    }
  }

  private static Path config(S3ProxyServer s3) throws Exception {
    StringBuilder text = new StringBuilder();
    text.append("catalog.type=jdbc\ncatalog.jdbc.schema-version=V1\n");
    text.append("catalog.uri=jdbc:sqlite:").append(folder.resolve("s3.db")).append('\n');
    text.append("catalog.warehouse=s3://lake/warehouse\nlog.root=s3://lake/log\n");
    s3.icebergProperties()
        .forEach((key, value) -> text.append("catalog." + key + "=" + value + "\n"));
    return Files.writeString(folder.resolve("s3.properties"), text);
  }

  @Test
  void aKilledCommandsSparkEndsAndTheNextCommandRemovesItsFolder() throws Exception {
    try (JavaProcess command = startEndless()) {
      ProcessHandle spark = spark(ProcessHandle.of(command.id()).orElseThrow());

      command.kill();

      spark.onExit().get(2, TimeUnit.MINUTES);
      assertThat(spark.isAlive()).isFalse();
    }
    try (SparkSession next = session()) {
      assertThat(sessions()).hasSize(1);
      assertThat(json(next, "SELECT 1 a").toString()).isEqualTo("[{\"a\":1}]");
    }
    assertNothingIsLeft();
  }

  @Test
  void sigtermEndsTheCommandItsSparkAndTheFolder() throws Exception {
    try (JavaProcess command = startEndless()) {
      ProcessHandle spark = spark(ProcessHandle.of(command.id()).orElseThrow());

      command.terminate();

      assertThat(command.awaitEnd()).isEqualTo(128 + 15);
      assertThat(spark.isAlive()).isFalse();
      assertThat(command.lines()).noneMatch(line -> line.contains("by itself"));
    }
    assertNothingIsLeft();
  }

  /// One whose second statement does not end.
  private static JavaProcess startEndless() {
    JavaProcess command =
        JavaProcess.start(
            folder.resolve("endless.out"),
            List.of("-Xmx512m", parts()),
            "io.icewal.cli.IcewalMain",
            "spark-sql",
            "--data",
            folder.resolve("endless").toString(),
            "-e",
            "SELECT 'it runs'; SELECT count(*) FROM range(1000000000000)");
    command.awaitLine("(1 row)");
    return command;
  }

  private static String parts() {
    return "-D" + SparkParts.FOLDER + "=" + System.getProperty(SparkParts.FOLDER);
  }

  /// Others than JVMs are what runs tests looks around with.
  private static ProcessHandle spark(ProcessHandle command) {
    return command
        .children()
        .filter(child -> child.info().command().orElse("").endsWith("/java"))
        .findFirst()
        .orElseThrow();
  }

  private static List<Path> sessions() throws Exception {
    try (Stream<Path> left = Files.list(folder.resolve("run"))) {
      return left.filter(path -> path.getFileName().toString().startsWith("session-")).toList();
    }
  }

  /// Rows come without end, most of them without a job of Spark's that could be cancelled.
  @Test
  void anInterruptCancelsTheStatementThatRunsAndIsTold() throws Exception {
    String told =
        interrupted("SELECT id FROM range(0, 1000000000000, 1, 100000); SELECT 'not run'", "0");

    assertThat(told).isEqualTo("icewal: statement 1 of 2: cancelled\n");
    assertNothingIsLeft();
  }

  /// All of the first one's rows have come, and wait to be printed.
  @Test
  void anInterruptThatComesTooLateForAStatementCancelsTheNextOne() throws Exception {
    String told =
        interrupted(
            "SELECT repeat('x', 100) id FROM range(0, 1000, 1, 1); SELECT 'not run'",
            "x".repeat(100));

    assertThat(told).startsWith("icewal: statement 2 of 2: cancelled").hasLineCount(1);
    assertNothingIsLeft();
  }

  /// Interrupts when the first row has come.
  ///
  /// @return standard error
  private static String interrupted(String statements, String firstRow) throws Exception {
    Path errors = folder.resolve("cancelled.err");
    Process command =
        Interruptible.icewal(
                List.of("-Xmx512m", parts()),
                "spark-sql",
                "--data",
                folder.resolve("data").toString(),
                "--format",
                "csv",
                "-e",
                statements)
            .redirectError(errors.toFile())
            .start();
    try (BufferedReader out = command.inputReader()) {
      assertThat(out.readLine()).isEqualTo("id");
      assertThat(out.readLine()).isEqualTo(firstRow);

      Interruptible.interrupt(command);

      assertThat(out.lines()).noneMatch(line -> line.contains("not run"));
      assertThat(command.waitFor()).isEqualTo(ExitCode.UNAVAILABLE);
    } finally {
      command.destroyForcibly();
    }
    return Files.readString(errors);
  }

  @Test
  void aTypedLineEndsAtItsFirstFailureAndTheNextOneRuns() throws Exception {
    try (JavaProcess command =
        JavaProcess.start(
            folder.resolve("typed.out"),
            List.of("-Xmx512m", parts(), "-D" + Terminal.TYPED + "=true"),
            "io.icewal.cli.IcewalMain",
            "spark-sql",
            "--data",
            folder.resolve("data").toString(),
            "--format",
            "csv")) {
      command.send("SELECT 'first' a; SELEC 1; SELECT 'rest' a; exit;");
      command.send("SELECT 'next'");
      command.send("  a; exit; SELECT 'rest' a;");

      assertThat(command.awaitEnd()).isZero();

      String lines = String.join("\n", command.lines());
      assertThat(lines)
          .containsSubsequence("first", "icewal: statement 2 of 3: [PARSE_SYNTAX_ERROR]", "next")
          .doesNotContain("rest");
    }
    assertNothingIsLeft();
  }

  @Test
  void aSparkThatWasKilledIsToldOfWithItsLogWhichStays() throws Exception {
    try (SparkSession spark = session()) {
      ProcessHandle process = spark(ProcessHandle.current());
      process.destroyForcibly();
      process.onExit().get(2, TimeUnit.MINUTES);

      assertFails(spark, "SELECT 1", ErrorKind.UNAVAILABLE, "Spark has ended by itself");
      assertThat(spark.isOver()).isTrue();
    }

    Path left = sessions().get(0);
    try (Stream<Path> files = Files.list(left)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("log4j2.properties", "session.log");
    }
    assertGoesInAWeek(left);
  }

  private static void assertGoesInAWeek(Path left) throws Exception {
    Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofDays(8))));
    session().close();
    assertNothingIsLeft();
  }

  @Test
  void aSparkThatIsKilledWhileRowsAreReadIsToldOfWithItsLog() throws Exception {
    try (SparkSession spark = session()) {
      ProcessHandle process = spark(ProcessHandle.current());
      OutputStream kills =
          new OutputStream() {
            @Override
            public void write(int one) {
              write(new byte[0], 0, 0);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
              process.destroyForcibly();
              process.onExit().join();
            }
          };

      assertThatThrownBy(
              () ->
                  run(
                      spark,
                      StatementOutput.Format.NDJSON,
                      kills,
                      "SELECT id, repeat('x', 1000) v FROM range(1000000)"))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
          .hasMessageContaining("Spark has ended by itself, see ")
          .hasMessageContaining("session.log");
    }
    assertGoesInAWeek(sessions().get(0));
  }

  private static SparkSession session() throws Exception {
    return SparkSession.start(
        SparkParts.built(), Map.entry("data", folder.resolve("data").toString()));
  }

  private static void assertFails(
      SparkSession spark, String statement, ErrorKind kind, String message) {
    assertThatThrownBy(() -> json(spark, statement))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind))
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(e.getMessage()).hasLineCount(1));
  }

  /// What the statement prints as JSON.
  private static JsonNode json(SparkSession spark, String statement) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    run(spark, StatementOutput.Format.JSON, out, statement);
    return JSON.readTree(out.toString(StandardCharsets.UTF_8));
  }

  private static void run(
      SparkSession spark, StatementOutput.Format format, OutputStream out, String statement)
      throws Exception {
    PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]), print, print, false);
    new SparkStatements(spark, new StatementOutput(terminal, format)).all(List.of(statement));
  }
}
