package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A log from which somebody deleted an object, and what an operator does then.
class LogAcceptLossCommandTest {
  @TempDir private Path folder;
  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.withoutMaintenance(folder.resolve("data"));
    server.run("table", "create", "a.t", "--key", "id", "--columns", "id bigint");
    for (int id = 1; id <= 3; id++) {
      load(id);
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private TestServer.Result load(int id) throws IOException {
    Path file = folder.resolve("row-" + id + ".ndjson");
    Files.writeString(file, "{\"id\":" + id + "}\n");
    return server.run("load", "a.t", file.toString());
  }

  private TestServer.Result acceptLoss(String... arguments) {
    List<String> common =
        List.of("log", "accept-loss", "--data", folder.resolve("data").toString());
    return TestServer.icewal(
        "", Stream.concat(common.stream(), Stream.of(arguments)).toArray(String[]::new));
  }

  private Path segment(int number) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("data/log"))) {
      return files
          .filter(file -> file.getParent().getParent().getFileName().toString().equals("segments"))
          .sorted()
          .toList()
          .get(number - 1);
    }
  }

  @Test
  void afterALossWasAcceptedTheRestIsReadAndWritten() throws IOException {
    Files.delete(segment(2));
    TestServer.Result broken = server.run("cat", "a.t");
    assertThat(broken.code()).isEqualTo(ExitCode.CORRUPT);
    assertThat(broken.err()).contains("segment 2");

    TestServer.Result accepted = acceptLoss("2", "--reason", "a clean-up job took it");

    assertThat(accepted.code()).as(accepted.err()).isZero();
    assertThat(accepted.out()).contains("segment 2", "a clean-up job took it");
    assertThat(load(4).code()).isZero();
    assertThat(server.run("cat", "a.t", "--format", "ndjson").out().lines())
        .containsExactlyInAnyOrder("{\"id\":1}", "{\"id\":3}", "{\"id\":4}");
  }

  @Test
  void whatCanBeReadIsNotGivenUp() {
    TestServer.Result refused = acceptLoss("2", "--reason", "by mistake");
    assertThat(refused.code()).isEqualTo(ExitCode.INVALID);
    assertThat(refused.err()).contains("segment 2", "is not lost");
    assertThat(acceptLoss("2", "--block", "0", "--reason", "by mistake").err())
        .contains("block 0 of segment 2", "is not lost");
    assertThat(acceptLoss("2", "--log", "1", "--reason", "by mistake").err())
        .contains("--log must be 0 to 0");
    assertThat(acceptLoss("2").code()).as("without a reason").isEqualTo(ExitCode.INVALID);
  }
}
