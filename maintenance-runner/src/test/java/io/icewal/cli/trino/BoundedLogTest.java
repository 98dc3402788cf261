package io.icewal.cli.trino;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BoundedLogTest {
  private static final long BYTES_MAX = 100_000;

  @TempDir private Path folder;

  private BoundedLog log(List<String> lines) throws IOException {
    BoundedLog log = new BoundedLog(folder.resolve("server.log"), BYTES_MAX);
    String text = String.join("\n", lines) + "\n";
    log.take(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    return log;
  }

  @Test
  void aShortLogIsOneFile() throws IOException {
    BoundedLog log = log(List.of("one", "two"));

    assertThat(folder.resolve("server.log")).hasContent("one\ntwo\n");
    assertThat(log.older()).doesNotExist();
  }

  @Test
  void theNewestLinesOfALongLogStayWithinTheBound() throws IOException {
    List<String> lines = IntStream.range(0, 100_000).mapToObj(i -> "line " + i).toList();

    BoundedLog log = log(lines);

    assertThat(Files.size(folder.resolve("server.log"))).isLessThanOrEqualTo(BYTES_MAX);
    assertThat(Files.size(log.older())).isBetween(BYTES_MAX / 2, BYTES_MAX + 1000);
    List<String> kept = new ArrayList<>(Files.readAllLines(log.older()));
    kept.addAll(Files.readAllLines(folder.resolve("server.log")));
    assertThat(kept).isEqualTo(lines.subList(lines.size() - kept.size(), lines.size()));
  }
}
