package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Batches of every size, from a foreign client to a server with default settings in 1 GiB.
@Tag("long")
class SizesTest {
  @TempDir Path folder;

  @Test
  void b124_whatIsTooLargeIsRefusedByNameWhateverItsSize() throws Exception {
    Path script = folder.resolve("sizes.py");
    try (InputStream source = SizesTest.class.getResourceAsStream("/pyarrow/sizes.py")) {
      assertThat(source).isNotNull();
      Files.copy(source, script);
    }
    try (JavaProcess server =
        JavaProcess.start(
            folder.resolve("server-output"),
            List.of("-Xmx1g", "-XX:+ExitOnOutOfMemoryError"),
            GatedServer.class.getName(),
            folder.toString())) {
      String uri = server.awaitLine("listening ").substring("listening ".length());

      List<String> printed = python(script, uri);

      assertThat(printed).hasSize(8);
      assertThat(printed.get(0)).isEqualTo("5MB stored");
      assertThat(printed.get(1)).isEqualTo("100MB stored");
      assertThat(printed.subList(2, 5))
          .allMatch(line -> line.contains(" refused: "))
          .allMatch(line -> line.contains("message is larger than 142606336 bytes"));
      assertThat(printed.get(5)).contains(" refused: ").contains("2GiB"); // By pyarrow itself.
      assertThat(printed.subList(6, 8)).containsExactly("afterwards stored", "rows 100");
      assertThat(server.isAlive()).isTrue();
      assertThat(server.lines()).noneMatch(line -> line.contains("OutOf"));
    }
  }

  private List<String> python(Path script, String uri) throws Exception {
    String python = System.getenv("ICEWAL_PYTHON");
    assertThat(python)
        .as("environment variable ICEWAL_PYTHON: a Python with pyarrow; ./icewal test sets it")
        .isNotBlank();
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(python, script.toString(), uri)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor()).as(() -> read(output).toString()).isZero();
    return read(output);
  }

  private static List<String> read(Path output) {
    try {
      return Files.readAllLines(output);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
