package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.runner.CatchUp;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CommandsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.withoutMaintenance(folder.resolve("data"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aTableIsCreatedListedShownAndDropped() throws Exception {
    TestServer.Result created =
        server.run(
            "table",
            "create",
            "a.t",
            "--key",
            "id",
            "--partition",
            "bucket(4,id)",
            "--columns",
            "id bigint, at timestamptz, m map<string, decimal(5,2)>",
            "--json");

    assertThat(created.code()).as(created.err()).isZero();
    JsonNode table = JSON.readTree(created.out());
    assertThat(table.get("key").asText()).isEqualTo("id");
    assertThat(table.get("partition").asText()).isEqualTo("bucket(4,id)");
    assertThat(table.get("columns").asText())
        .isEqualTo("id bigint not null, at timestamptz, m map<string, decimal(5,2)>");
    assertThat(server.run("table", "list").out()).isEqualTo("a.t\n");
    assertThat(server.run("table", "show", "a.t").out()).contains("column     id bigint not null");
    assertThat(server.run("table", "drop", "a.t").code()).isZero();
    assertThat(server.run("table", "list", "--json").out()).isEqualTo("[]\n");
    assertFails(ExitCode.INVALID, "a.t", "table", "show", "a.t");
  }

  @Test
  void likeGuessesColumnsThatTheFileThenFits() throws Exception {
    Path file = folder.resolve("rows.ndjson");
    Files.writeString(
        file,
        """
        {"id":1,"price":1.5,"at":"2026-01-01T00:00:00Z","tags":["x"],"o":{"a":true}}
        {"id":2,"price":2,"at":null,"tags":[],"o":null}
        """);

    server.run(
        "table",
        "create",
        "a.t",
        "--key",
        "id",
        "--like",
        file.toString(),
        "--columns",
        "price decimal(8,2)");
    assertThat(server.run("load", "a.t", file.toString()).code()).isZero();
    assertThat(server.run("cat", "a.t", "--format", "ndjson", "--where", "id = 1").out())
        .isEqualTo(
            "{\"id\":1,\"price\":1.50,\"at\":\"2026-01-01T00:00:00Z\",\"tags\":[\"x\"],"
                + "\"o\":{\"a\":true}}\n");
  }

  @Test
  void rejectKeepsABatchOutAndPartialItsBadRows() throws Exception {
    server.run("table", "create", "a.t", "--key", "id", "--columns", "id bigint, s string");
    String rows = "{\"id\":1,\"s\":\"a\"}\n{\"id\":null}\nnonsense\n{\"id\":2,\"t\":1}\n";
    Path rejects = folder.resolve("rejects.ndjson");

    TestServer.Result reject = server.runWithInput(rows, "load", "a.t", "-", "--json");
    assertThat(reject.code()).isEqualTo(ExitCode.INCOMPLETE);
    assertThat(JSON.readTree(reject.out()).get("rows_stored").asLong()).isZero();
    assertThat(reject.err())
        .contains("-, line 2, column id: ")
        .contains("-, line 3: not JSON")
        .contains("4 rows did not go in (--rejects FILE keeps them)");
    TestServer.Result partial =
        server.runWithInput(
            rows, "load", "a.t", "-", "--mode", "partial", "--rejects", rejects.toString());
    assertThat(partial.code()).isEqualTo(ExitCode.INCOMPLETE);
    assertThat(server.run("cat", "a.t", "--format", "csv").out()).isEqualTo("id,s\r\n1,a\r\n");

    List<JsonNode> kept = new ArrayList<>();
    for (String line : Files.readAllLines(rejects)) {
      kept.add(JSON.readTree(line));
    }
    assertThat(kept).hasSize(3);
    assertThat(kept.get(0).at("/verdicts/0/rule").asText()).isEqualTo("key-not-null");
    assertThat(kept.get(1).get("row").asText()).isEqualTo("nonsense");
    assertThat(kept.get(2).get("line").asLong()).isEqualTo(4);
    assertThat(kept.get(2).at("/row/id").asLong()).isEqualTo(2);
  }

  @Test
  void aFileThatIsToBeLoadedIsNotOverwrittenByRejects() throws Exception {
    server.run("table", "create", "a.t", "--columns", "n bigint");
    Path file = folder.resolve("rows.ndjson");
    Files.writeString(file, "{\"n\":1}\n");

    assertFails(
        ExitCode.INVALID,
        "would overwrite",
        "load",
        "a.t",
        file.toString(),
        "--rejects",
        folder.resolve(".").resolve("rows.ndjson").toString());

    assertThat(file).hasContent("{\"n\":1}");
  }

  @Test
  void refusedRowsThatTheServerDoesNotNameAreTold() throws Exception {
    server.run(
        "table",
        "create",
        "a.t",
        "--key",
        "id",
        "--partition",
        "hour(at)",
        "--columns",
        "id bigint, at timestamptz");
    StringBuilder rows = new StringBuilder("{\"id\":0,\"at\":\"2026-01-01T00:00:00Z\"}\n");
    for (int id = 1; id <= 150; id++) {
      rows.append("{\"id\":" + id + ",\"at\":\"+260000-01-01T00:00:00Z\"}\n");
    }
    Path rejects = folder.resolve("rejects.ndjson");

    TestServer.Result partial =
        server.runWithInput(
            rows.toString(), "load", "a.t", "-", "--mode", "partial", "--rejects", rejects + "");

    assertThat(partial.code()).as(partial.err()).isEqualTo(ExitCode.INCOMPLETE);
    assertThat(partial.out()).contains("1 of 151 rows stored");
    assertThat(Files.readAllLines(rejects)).hasSize(100);
    assertThat(partial.err()).contains("150 rows did not go in", "50 of them were too many");
  }

  @Test
  void anErrorOfTheJvmIsNoPartialSuccess() {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() {
            throw new OutOfMemoryError("no room");
          }
        };
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            broken,
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false);

    int code = IcewalMain.run(terminal, "table", "create", "a.t", "--like", "-");

    assertThat(code).isEqualTo(ExitCode.INTERNAL);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("no room");
  }

  @Test
  void aCorrectedBatchGoesInUnderTheSameProducer() throws Exception {
    server.run("table", "create", "a.t", "--columns", "n bigint");
    Path file = folder.resolve("rows.ndjson");
    Files.writeString(file, "{\"n\":1}\n{\"n\":2}\n{\"n\":\"x\"}\n{\"n\":4}\n{\"n\":5}\n");
    String[] load = {"load", "a.t", file.toString(), "--producer", "p", "--batch", "2"};

    assertThat(server.run(load).code()).isEqualTo(ExitCode.INCOMPLETE);
    Files.writeString(file, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n{\"n\":5}\n");
    assertThat(server.run(load).code()).isZero();
    assertThat(server.run(load).code()).isZero();

    assertThat(server.run("cat", "a.t", "--format", "csv").out().split("\r\n"))
        .containsExactlyInAnyOrder("n", "1", "2", "3", "4", "5");
  }

  @Test
  void deletesNeedTheKeyAlone() {
    server.run("table", "create", "a.t", "--key", "id", "--columns", "id bigint, s string");
    server.runWithInput("{\"id\":1,\"s\":\"a\"}\n{\"id\":2}\n", "load", "a.t", "-");

    TestServer.Result deleted =
        server.runWithInput("{\"id\":1,\"s\":5}\n", "load", "a.t", "-", "--op", "delete");
    assertThat(deleted.code()).as(deleted.err()).isZero();
    assertThat(server.run("cat", "a.t", "--format", "csv").out()).isEqualTo("id,s\r\n2,\r\n");
    server.run("table", "create", "a.keyless", "--columns", "id bigint");
    assertFails(
        ExitCode.INVALID, "append-only", "load", "a.keyless", "/dev/null", "--op", "delete");
  }

  @Test
  void statusTellsWhatWaitsAndMaintenanceTakesIt() throws Exception {
    server.run("table", "create", "a.t", "--key", "id", "--columns", "id bigint");
    TestServer.Result load = server.runWithInput("{\"id\":1}\n{\"id\":2}\n", "load", "a.t", "-");
    String position = load.out().replaceAll("(?s).*position (\\S+)\\s*", "$1");

    JsonNode before = status();
    assertThat(before.get("tail_rows").asLong()).isEqualTo(2);
    assertThat(server.run("cat", "a.t", "--at-least", position, "--limit", "1").out())
        .contains("(1 row)");
    assertThat(server.get(CatchUp.class).run())
        .singleElement()
        .matches(table -> table.name().equals("a.t") && table.error() == null);
    JsonNode after = status();
    assertThat(after.get("tail_rows").asLong()).isZero();
    assertThat(after.get("rows").asLong()).isEqualTo(2);
    assertThat(after.get("data_files").asLong()).isEqualTo(1);
    assertThat(server.run("status").out()).contains("a.t");
  }

  @Test
  void errorsAreOneLineWithTheirExitCode() {
    assertFails(ExitCode.INVALID, "not a table name: 'x'", "cat", "x");
    assertFails(ExitCode.INVALID, "no such file: /no/file", "load", "a.t", "/no/file");
    assertFails(ExitCode.INVALID, "which columns?", "table", "create", "a.t");
    assertFails(
        ExitCode.INVALID, "unknown type", "table", "create", "a.t", "--columns", "id bigits");
    TestServer.Result usage = TestServer.icewal("", "cat");
    assertThat(usage.code()).isEqualTo(ExitCode.INVALID);
    assertThat(usage.err()).contains("See 'icewal cat --help'.");
    TestServer.Result nobody =
        TestServer.icewal("", "table", "list", "--server", "grpc://127.0.0.1:9");
    assertThat(nobody.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(nobody.err()).contains("no server answers at grpc://127.0.0.1:9;").hasLineCount(1);
  }

  @Test
  void wrongUsageIsToldWhatThereIs() {
    assertUsage("there is no command 'lod'; expected one of server, ingestor, ", "lod", "a.t");
    assertUsage("there is no command 'craete'; expected one of ", "table", "craete", "a.t");
    assertUsage("there is no option '--colums'; did you mean", "cat", "a.t", "--colums", "id");
    assertUsage("'b.t' is one argument too many", "cat", "a.t", "b.t");
    assertUsage(
        "'127.0.0.1:8815' does not look like grpc://127.0.0.1:8815",
        "cat",
        "a.t",
        "--server",
        "127.0.0.1:8815");
  }

  @Test
  void whatFailsPrintsNoResult() {
    server.run("table", "create", "a.t", "--columns", "n bigint");
    for (String format : List.of("table", "ndjson", "csv", "arrow")) {
      TestServer.Result failed =
          server.run("cat", "a.t", "--where", "nothing = 1", "--format", format);

      assertThat(failed.code()).isEqualTo(ExitCode.INVALID);
      assertThat(failed.out()).as(format).isEmpty();
    }
  }

  @Test
  void aLineThatBreaksOffIsToldInPlainWords() {
    server.run("table", "create", "a.t", "--columns", "n bigint");

    TestServer.Result load = server.runWithInput("{\n\"n\": 1\n}\n", "load", "a.t", "-");

    assertThat(load.err())
        .contains("-, line 1: not JSON at column 2: Unexpected end-of-input: expected close marker")
        .doesNotContain("Source");
  }

  @Test
  void filesThatCannotBeReadAreNamed() throws Exception {
    server.run("table", "create", "a.t", "--columns", "n bigint");
    Path file = Files.write(folder.resolve("cut.gz"), new byte[] {0x1f, (byte) 0x8b, 8});
    Path good = Files.writeString(folder.resolve("good.ndjson"), "{\"n\":1}\n");

    assertFails(ExitCode.INVALID, folder + " is a folder", "load", "a.t", folder.toString());
    assertFails(
        ExitCode.INVALID,
        "load of " + file + " stopped after 1 rows: ",
        "load",
        "a.t",
        good.toString(),
        file.toString());
    assertFails(
        ExitCode.INVALID,
        "cannot write the rejects to /no/folder/x: there is no such folder",
        "load",
        "a.t",
        good.toString(),
        "--rejects",
        "/no/folder/x");
  }

  @Test
  void everyCommandExplainsItself() {
    List<CommandLine> commands = new ArrayList<>();
    commands.add(IcewalMain.commandLine(Terminal.system()));
    for (int i = 0; i < commands.size(); i++) {
      commands.addAll(commands.get(i).getSubcommands().values());
    }
    assertThat(commands).hasSizeGreaterThan(14);
    for (CommandLine command : commands) {
      String usage = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
      assertThat(usage).contains("--help").contains("Exit codes:").contains("--debug");
      assertThat(command.getCommandSpec().usageMessage().description()).isNotEmpty();
    }
  }

  private JsonNode status() throws Exception {
    return JSON.readTree(server.run("status", "a.t", "--json").out()).get(0);
  }

  private static void assertUsage(String message, String... command) {
    TestServer.Result result = TestServer.icewal("", command);
    assertThat(result.err()).startsWith("icewal: ").contains(message).contains("--help'.");
    assertThat(result.code()).isEqualTo(ExitCode.INVALID);
  }

  private void assertFails(int code, String message, String... command) {
    TestServer.Result result = server.run(command);
    assertThat(result.err()).startsWith("icewal: ").contains(message).hasLineCount(1);
    assertThat(result.code()).isEqualTo(code);
  }
}
