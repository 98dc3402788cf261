package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import io.icewal.Sources;
import io.icewal.cli.spark.SparkParts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class SparkDemoTest {
  @TempDir private Path folder;

  @Test
  void theTourShowsRowsInBothDirectionsAndEndsItsProcesses() throws Exception {
    Path parts = SparkPartsOfBuild.write(folder.resolve("run/parts"));
    try (JavaProcess demo =
        JavaProcess.start(
            folder.resolve("out"),
            List.of("-D" + SparkParts.FOLDER + "=" + parts, "-Xmx1g"),
            "io.icewal.cli.IcewalMain",
            "demo",
            "--spark",
            "--samples",
            Sources.root().resolve("samples").toString())) {
      demo.awaitLine("Spark is there.");
      List<ProcessHandle> sparks = ProcessHandle.of(demo.id()).orElseThrow().descendants().toList();

      assertThat(demo.awaitEnd()).as(String.join("\n", demo.lines())).isZero();

      assertThat(sparks).hasSize(1).noneMatch(ProcessHandle::isAlive);
      assertThat(String.join("\n", demo.lines()))
          .contains("10,438 of 10,438 rows stored")
          .contains("   10434  15050474304") // Some keys stand twice in the sample.
          .contains("15+248+deb12u1")
          .contains("15+248+deb12u2")
          .contains("icewal> MERGE INTO demo.packages")
          .contains("What to try next");
    }
  }
}
