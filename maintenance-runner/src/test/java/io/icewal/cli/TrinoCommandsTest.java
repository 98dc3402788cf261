package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.JavaProcess;
import io.icewal.Sources;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/// `icewal trino` as a process, with its Trino server as another, and `icewal sql` against it; a
/// Flight server of this process works on the same folder. One server serves all tests.
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TrinoCommandsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MAIN = "io.icewal.cli.IcewalMain";
  private static final List<String> FAST = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  @TempDir private static Path folder;
  private static TestServer flight;
  private static JavaProcess trino;
  private static String url;

  @BeforeAll
  static void start() throws IOException {
    flight = TestServer.withoutMaintenance(folder.resolve("data"));
    trino = startTrino("trino.out", "0");
    url = trino.awaitLine("icewal trino on ").split(" ")[3];
  }

  private static JavaProcess startTrino(String output, String port) throws IOException {
    String parts = TrinoPartsOfBuild.write(folder.resolve("run/parts"));
    return JavaProcess.start(
        folder.resolve(output),
        Stream.concat(FAST.stream(), Stream.of(parts)).toList(),
        MAIN,
        "trino",
        "--data",
        folder.resolve("data").toString(),
        "--port",
        port);
  }

  @AfterAll
  static void stop() {
    trino.close();
    flight.close();
  }

  private static TestServer.Result sql(String... arguments) {
    return sqlWithInput("", arguments);
  }

  private static TestServer.Result sqlWithInput(String input, String... arguments) {
    return TestServer.icewal(
        input,
        Stream.concat(Stream.of("sql", "--server", url), Stream.of(arguments))
            .toArray(String[]::new));
  }

  private static int port() {
    return Integer.parseInt(url.replaceAll(".*:(\\d+)/.*", "$1"));
  }

  @Test
  void whatFlightAcknowledgedIsSeenBySqlAndTheOtherWayRound() {
    flight.run("table", "create", "both.t", "--key", "id", "--columns", "id bigint, s string");
    flight.runWithInput("{\"id\":1,\"s\":\"a\"}\n{\"id\":2,\"s\":\"b\"}\n", "load", "both.t", "-");

    TestServer.Result select = sql("--format", "csv", "SELECT id, s FROM both.t ORDER BY id");
    TestServer.Result changed =
        sql("UPDATE both.t SET s = 'c' WHERE id = 2; DELETE FROM both.t WHERE id = 1");

    assertThat(select.out()).as(select.err()).isEqualTo("id,s\r\n1,a\r\n2,b\r\n");
    assertThat(changed.out()).as(changed.err()).isEqualTo("UPDATE: 1 row\nDELETE: 1 row\n");
    assertThat(flight.run("cat", "both.t", "--format", "csv").out()).isEqualTo("id,s\r\n2,c\r\n");
  }

  @Test
  void tablesThatQueriesMadeLeaveNothingInTheLogThatMaintenanceDoesNotKnow() {
    TestServer.Result made =
        sql(
            "CREATE SCHEMA queried; USE icewal.queried;"
                + "CREATE TABLE q WITH (primary_key = ARRAY['id']) AS SELECT 1 id, 'a' s;"
                + "CREATE OR REPLACE TABLE q WITH (primary_key = ARRAY['id']) AS SELECT 2 id, 'b' s;"
                + "CREATE TABLE r AS SELECT 1 n; CREATE OR REPLACE TABLE r AS SELECT 2 n;"
                + "INSERT INTO q VALUES (3, 'c'); INSERT INTO r VALUES 3");
    assertThat(made.code()).as(made.err()).isZero();

    TestServer.Result maintained =
        TestServer.icewal("", "maintain", "--once", "--data", folder.resolve("data").toString());

    assertThat(maintained.code()).as(maintained.err()).isZero();
    assertThat(maintained.err()).isEmpty();
    assertThat(maintained.out())
        .contains("queried.q is materialized up to position ")
        .contains("queried.r is materialized up to position ");
    assertThat(sql("--format", "csv", "SELECT id, s FROM queried.q ORDER BY id").out())
        .isEqualTo("id,s\r\n2,b\r\n3,c\r\n");
  }

  @Test
  void valuesOfEveryKindArePrintedWithoutDoubt() throws Exception {
    String select =
        """
        SELECT 'a;b' s, CAST(NULL AS varchar) n, '' e, true b, 1e10 d, nan() nan, DECIMAL '19.90' c,
          TIMESTAMP '2026-01-05 10:00:00.123456789012' t12, TIMESTAMP '2026-01-05 10:00:00.5 UTC' z,
          TIMESTAMP '2026-01-05 10:00:00 +01:00' o, DATE '1969-12-31' day, TIME '10:00:00.123456' tm,
          X'00ff' bytes, ARRAY[TIMESTAMP '2026-03-29 02:30:00.000001', NULL] ts,
          MAP(ARRAY['k'], ARRAY[X'01']) m, MAP(ARRAY[2], ARRAY[nan()]) m2,
          CAST(ROW(7, ARRAY[DATE '1500-02-28']) AS row(x bigint, y array(date))) r, ROW(1, 'x') a
        """;

    TestServer.Result json = sqlWithInput(select, "--format", "json", "-");
    TestServer.Result csv =
        sql("--format", "csv", "SELECT '' e, CAST(NULL AS varchar) n, ARRAY[1] a");

    assertThat(json.code()).as(json.err()).isZero();
    assertThat(JSON.readTree(json.out()))
        .isEqualTo(
            JSON.readTree(
                """
                [{"s": "a;b", "n": null, "e": "", "b": true, "d": 1.0E10, "nan": "NaN", "c": 19.90,
                  "t12": "2026-01-05T10:00:00.123456789012", "z": "2026-01-05T10:00:00.5Z",
                  "o": "2026-01-05T10:00:00+01:00", "day": "1969-12-31", "tm": "10:00:00.123456",
                  "bytes": "AP8=", "ts": ["2026-03-29T02:30:00.000001", null],
                  "m": {"k": "AQ=="}, "m2": [{"key": 2, "value": "NaN"}],
                  "r": {"x": 7, "y": ["1500-02-28"]}, "a": [1, "x"]}]
                """));
    assertThat(csv.out()).isEqualTo("e,n,a\r\n\"\",,[1]\r\n");
  }

  @Test
  void whatTheDriverWouldCutOrNamesWouldHideIsRefused() {
    assertFails(
        ExitCode.INVALID, "column 'x' has times inside", "SELECT ARRAY[TIME '10:00:00.123456'] x");
    TestServer.Result twice = sql("--format", "json", "SELECT 1 a, 2 a");
    assertThat(twice.code()).isEqualTo(ExitCode.INVALID);
    assertThat(twice.err()).contains("two columns are called 'a'");
    assertThat(twice.out()).isEmpty();
  }

  @Test
  void errorsNameTrinosCodeAndPlaceAndEndTheRun() {
    TestServer.Result failed = sql("SELECT 1 one;\nSELECT\n nope;\nSELECT 3");

    assertThat(failed.code()).isEqualTo(ExitCode.INVALID);
    assertThat(failed.out()).contains("one").doesNotContain("3");
    assertThat(failed.err())
        .contains("statement 2 of 3: COLUMN_NOT_FOUND: line 2:2: Column 'nope' cannot be resolved")
        .hasLineCount(1);
    assertFails(ExitCode.INVALID, "SYNTAX_ERROR: line 1:1: ", "SELEKT 1");
    assertFails(ExitCode.INVALID, "DIVISION_BY_ZERO: ", "SELECT 1 / (SELECT count(*) WHERE false)");
    assertFails(ExitCode.INVALID, "there is no statement", " -- nothing ;");
    TestServer.Result nobody =
        TestServer.icewal("", "sql", "--server", "http://127.0.0.1:9", "SELECT 1");
    assertThat(nobody.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(nobody.err()).contains("no server answers", "icewal trino").hasLineCount(1);
    String flightAddress = flight.uri().replace("grpc://", "http://");
    TestServer.Result other = TestServer.icewal("", "sql", "--server", flightAddress, "SELECT 1");
    assertThat(other.code()).as(other.err()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(other.err())
        .contains("no Trino server answers at jdbc:trino://127.0.0.1:")
        .hasLineCount(1);
    String trinoAddress = "grpc://127.0.0.1:" + port();
    TestServer.Result tables = TestServer.icewal("", "table", "list", "--server", trinoAddress);
    assertThat(tables.err())
        .isEqualTo(
            "icewal: what answers at "
                + trinoAddress
                + " does not speak Flight, but HTTP status code 404\n");
  }

  private static void assertFails(int code, String message, String statement) {
    TestServer.Result result = sql(statement);
    assertThat(result.err()).startsWith("icewal: ").contains(message).hasLineCount(1);
    assertThat(result.code()).isEqualTo(code);
  }

  @Test
  void statementsOfAFileShareASessionAndSayWhatTheyDid() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("run.sql"),
            """
            CREATE SCHEMA s; USE icewal.s; -- a ; in a comment
            CREATE TABLE t (id bigint, v varchar) WITH (primary_key = ARRAY['id']);
            INSERT INTO t VALUES (1, 'a;''b'), (2, NULL);
            SELECT * FROM t ORDER BY id
            """);

    TestServer.Result json = sql("--format", "json", "--file", file.toString());

    assertThat(json.code()).as(json.err()).isZero();
    List<String> lines = json.out().lines().toList();
    assertThat(lines).hasSize(5);
    JsonNode insert = JSON.readTree(lines.get(3));
    assertThat(insert.get("statement").asText()).isEqualTo("INSERT");
    assertThat(insert.get("rows").asLong()).isEqualTo(2);
    assertThat(lines.get(4)).isEqualTo("[{\"id\":1,\"v\":\"a;'b\"},{\"id\":2,\"v\":null}]");
  }

  @Test
  @Tag("long")
  void theDocumentedExampleRunsAsItStandsThere() throws Exception {
    Matcher block =
        Pattern.compile("<!-- trino: run -->\\n```sh\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Sources.root().resolve("docs/trino.md")));
    assertThat(block.find()).isTrue();
    Path icewal = folder.resolve("icewal");
    Files.writeString(
        icewal,
        "#!/bin/sh\nexec '%s/bin/java' %s --add-opens=java.base/java.nio=ALL-UNNAMED -cp '%s' %s \"$@\"\n"
            .formatted(
                System.getProperty("java.home"),
                String.join(" ", FAST),
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                MAIN));
    assertThat(icewal.toFile().setExecutable(true)).isTrue();

    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", block.group(1))
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.environment().put("ICEWAL_SERVER", flight.uri());
    builder.environment().put("ICEWAL_TRINO", url);
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(out).isZero();
    assertThat(out).contains("lamp", "19.90", "UPDATE: 1 row", "\"price\":39.80");
  }

  @Test
  void anInterruptCancelsTheStatementInTheServerAndIsTold() throws Exception {
    String numbers = "UNNEST(sequence(1, 10000))";
    Path errors = folder.resolve("cancelled.err");
    Process command =
        Interruptible.icewal(
                FAST,
                "sql",
                "--server",
                url,
                "--format",
                "csv",
                "SELECT x FROM %1$s a(x), %1$s b(y), %1$s c(z)".formatted(numbers))
            .redirectError(errors.toFile())
            .start();
    try (BufferedReader out = command.inputReader()) {
      assertThat(out.readLine()).isEqualTo("x");
      assertThat(out.readLine()).isEqualTo("1");

      Interruptible.interrupt(command);
      out.transferTo(Writer.nullWriter());

      assertThat(command.waitFor()).isEqualTo(ExitCode.UNAVAILABLE);
    } finally {
      command.destroyForcibly();
    }
    assertThat(errors).content().isEqualTo("icewal: cancelled\n");
    assertThat(
            sql("SELECT error_code FROM system.runtime.queries WHERE query LIKE 'SELECT x FROM%'")
                .out())
        .contains("USER_CANCELED");
  }

  @Test
  void itListensOnThisMachineAlone() throws IOException {
    try (Socket here = new Socket("127.0.0.1", port())) {
      assertThat(here.isConnected()).isTrue();
    }
    assertThatThrownBy(() -> new Socket("127.0.0.2", port()).close())
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void aTakenPortAndAMissingPartAreNamed() throws IOException {
    try (JavaProcess second = startTrino("second.out", Integer.toString(port()))) {
      assertThat(second.awaitEnd()).isEqualTo(ExitCode.INVALID);
      assertThat(String.join("\n", second.lines()))
          .contains("port " + port() + " is taken or not to be had; choose another with --port");
    }
    TestServer.Result unbuilt = TestServer.icewal("", "trino", "--data", folder + "/none");
    assertThat(unbuilt.code()).isEqualTo(ExitCode.INVALID);
    assertThat(unbuilt.err()).contains("the Trino server is not built").hasLineCount(1);
  }

  @Test
  void sigtermEndsAServerThatDoesNotAnswerYetAndLeavesConfigurationAndLog() throws IOException {
    try (JavaProcess starting = startTrino("starting.out", "0")) {
      String log = starting.awaitLine("icewal: starting Trino, log in ").split(" log in ")[1];

      starting.terminate();

      assertThat(starting.awaitEnd()).as(String.join("\n", starting.lines())).isZero();
      try (Stream<Path> left = Files.list(Path.of(log).getParent())) {
        assertThat(left.map(path -> path.getFileName().toString()))
            .containsExactlyInAnyOrder("etc", "server.log");
      }
    }
  }

  @Test
  @Order(Integer.MAX_VALUE)
  void sigtermEndsBothProcessesAndLeavesNothingOfAServerOnAnyPort() throws IOException {
    List<ProcessHandle> servers = ProcessHandle.of(trino.id()).orElseThrow().descendants().toList();
    assertThat(servers).hasSize(1);

    trino.terminate();

    assertThat(trino.awaitEnd()).isZero();
    assertThat(servers.get(0).isAlive()).isFalse();
    assertThat(folder.resolve("run/server-" + port())).doesNotExist();
  }
}
