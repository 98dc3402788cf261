package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.JavaProcess;
import io.icewal.Sources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {
  @Test
  void theTourShowsEveryStageAndEndsWell() throws Exception {
    Path samples = Path.of("").toAbsolutePath().resolveSibling("samples");
    TestServer.Result result = TestServer.icewal("", "demo", "--samples", samples.toString());

    assertThat(result.code()).as(result.out() + result.err()).isZero();
    JsonNode answers = new ObjectMapper().readTree(samples.resolve("answers.json").toFile());
    // The tour adds one row and deletes it and one more.
    long rows = answers.at("/keyed/rows").asLong() - 1;
    assertThat(result.out())
        .contains("10,438 of 10,438 rows stored")
        .contains("$ ./icewal cat demo.packages")
        .contains("(0 rows)")
        .contains("0 of 3 rows stored")
        .contains("1 of 3 rows stored")
        .contains("15+248+deb12u1")
        .contains("15+248+deb12u2")
        .contains(String.format(Locale.ROOT, "%,d rows, sum(size_bytes)", rows))
        .contains("Parquet data files of the table")
        .contains("What to try next");
    assertThat(result.err())
        .contains("line 2, column architecture")
        .contains("line 3, column size_bytes");
  }

  @Test
  void aSignalEndsTheTourAndItsFolderGoes(@TempDir Path folder) throws Exception {
    assertFolderGoesAfterASignalAt("== 2.", List.of(128 + 15), folder);
  }

  /// When the tour may be at its end before the signal comes.
  @Test
  void aSignalInTheLastMomentLeavesNoFolderEither(@TempDir Path folder) throws Exception {
    assertFolderGoesAfterASignalAt("== 8.", List.of(0, 128 + 15), folder);
  }

  private static void assertFolderGoesAfterASignalAt(String line, List<Integer> codes, Path folder)
      throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    try (JavaProcess demo =
        JavaProcess.start(
            folder.resolve("out"),
            List.of("-Xmx512m", "-Djava.io.tmpdir=" + temporary),
            "io.icewal.cli.IcewalMain",
            "demo",
            "--samples",
            Sources.root().resolve("samples").toString())) {
      demo.awaitLine(line);

      demo.terminate();

      assertThat(demo.awaitEnd()).as(String.join("\n", demo.lines())).isIn(codes);
    }
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left).noneMatch(path -> path.getFileName().toString().startsWith("icewal-demo-"));
    }
  }
}
