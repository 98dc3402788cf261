package io.icewal.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import io.icewal.Sources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the tour of the README as it stands there, in a shell, against the server that it starts.
final class ReadmeTourTest {
  private static final Pattern SERVER =
      Pattern.compile("<!-- tour: server -->\\n```sh\\n\\./icewal (.*)\\n```");
  private static final Pattern STEP =
      Pattern.compile("<!-- tour: (run|fails (\\d)) -->\\n```sh\\n(.*?)```", Pattern.DOTALL);
  private static final List<String> FAST = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  /// One block of commands.
  private record Step(int exitCode, String script) {}

  @TempDir private Path folder;

  @Test
  void everyStepDoesWhatTheReadmeSays() throws Exception {
    List<Step> steps = steps();
    assertThat(steps).hasSize(4);
    writeCommand();
    try (JavaProcess server = startServer()) {
      String uri = server.awaitLine("icewal server on ").split("[ ,]+")[3];
      String created = run(uri, steps.get(0));
      assertThat(created).contains("2 of 2 rows stored").contains("ada").contains("19.90");
      String changed = run(uri, steps.get(1));
      assertThat(changed)
          .contains("{\"id\":2,\"customer\":\"bob\",\"amount\":7.25,\"at\":null,\"tags\":null}")
          .doesNotContain("ada");
      String refused = run(uri, steps.get(2));
      assertThat(refused).contains("column customer").contains("0 of 1 rows stored");
      String flushed = run(uri, steps.get(3));
      assertThat(flushed).contains("is materialized up to position").contains("(1 row)");
      server.terminate();
      assertThat(server.awaitEnd()).isZero();
    }
  }

  /// The README's own command, in this folder and on a free port.
  private JavaProcess startServer() throws IOException {
    Matcher matcher = SERVER.matcher(readme());
    assertThat(matcher.find()).isTrue();
    List<String> arguments = new ArrayList<>(Arrays.asList(matcher.group(1).split(" ")));
    arguments.replaceAll(
        word -> word.equals("icewal-data") ? folder.resolve(word).toString() : word);
    arguments.addAll(List.of("--port", "0"));
    return JavaProcess.start(
        folder.resolve("server.log"),
        FAST,
        "io.icewal.cli.IcewalMain",
        arguments.toArray(String[]::new));
  }

  private static String readme() throws IOException {
    return Files.readString(Sources.root().resolve("README.md"));
  }

  private static List<Step> steps() throws IOException {
    Matcher matcher = STEP.matcher(readme());
    List<Step> steps = new ArrayList<>();
    while (matcher.find()) {
      String code = matcher.group(2);
      steps.add(new Step(code == null ? 0 : Integer.parseInt(code), matcher.group(3)));
    }
    return steps;
  }

  /// An `icewal` that runs the classes under test.
  private void writeCommand() throws IOException {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Path command = folder.resolve("icewal");
    Files.writeString(
        command,
        """
        #!/bin/sh
        exec '%s' %s --add-opens=java.base/java.nio=ALL-UNNAMED \
          -cp '%s' io.icewal.cli.IcewalMain "$@"
        """
            .formatted(java, String.join(" ", FAST), classPath));
    assertThat(command.toFile().setExecutable(true)).isTrue();
  }

  private String run(String uri, Step step) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", step.script())
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.environment().put("ICEWAL_SERVER", uri);
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isEqualTo(step.exitCode());
    return out;
  }
}
