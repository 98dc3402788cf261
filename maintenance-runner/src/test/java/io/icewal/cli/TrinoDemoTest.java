package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import io.icewal.Sources;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class TrinoDemoTest {
  @TempDir private Path folder;

  @Test
  void theTourShowsRowsInBothDirectionsAndEndsItsProcesses() throws Exception {
    try (JavaProcess demo = start("demo", "--trino", "--samples", samples())) {
      demo.awaitLine("Trino answers at ");
      List<ProcessHandle> servers =
          ProcessHandle.of(demo.id()).orElseThrow().descendants().toList();

      assertThat(demo.awaitEnd()).as(String.join("\n", demo.lines())).isZero();

      assertThat(servers).hasSize(1).noneMatch(ProcessHandle::isAlive);
      assertThat(String.join("\n", demo.lines()))
          .contains("10,438 of 10,438 rows stored")
          .contains("   10434  15050474304") // Some keys stand twice in the sample.
          .contains("15+248+deb12u1")
          .contains("15+248+deb12u2")
          .contains("$ ./icewal sql \"UPDATE demo.packages SET section = 'postgres'")
          .contains("DELETE: 1 row")
          .contains("\"seen\"]")
          .contains("What to try next");
    }
  }

  @Test
  void aServerEndsWithTheCommandThatStartedItHoweverThatEnds() throws Exception {
    try (JavaProcess command =
        start("trino", "--port", "0", "--data", folder.resolve("data").toString())) {
      command.awaitLine("icewal trino on ");
      ProcessHandle server =
          ProcessHandle.of(command.id()).orElseThrow().descendants().findFirst().orElseThrow();

      command.kill();

      server.onExit().get(2, TimeUnit.MINUTES);
      assertThat(server.isAlive()).isFalse();
    }
  }

  private JavaProcess start(String... arguments) throws Exception {
    String parts = TrinoPartsOfBuild.write(folder.resolve("run/parts"));
    return JavaProcess.start(
        folder.resolve("out"), List.of(parts, "-Xmx1g"), "io.icewal.cli.IcewalMain", arguments);
  }

  private static String samples() {
    return Sources.root().resolve("samples").toString();
  }
}
