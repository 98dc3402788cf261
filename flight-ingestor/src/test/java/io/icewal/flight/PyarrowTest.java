package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// pyarrow as a foreign client, in its own process. The environment variable `ICEWAL_PYTHON` names
/// a Python that has it; without one these tests fail, since a test that is silently skipped proves
/// nothing.
class PyarrowTest {
  private static final int SECONDS_MAX = 120;

  /// A piece of Python in the documentation, marked by the comment before it.
  private static final Pattern EXAMPLE =
      Pattern.compile("<!-- example: (\\w+) -->\n```python\n(.*?)```", Pattern.DOTALL);

  @TempDir Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture = ServerFixture.on(folder);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  /// Dictionaries (b116), slices (b121), batches without rows (b122), forms, errors, flight info.
  @Test
  void arrowFormsOfOtherLanguagesGoRound() throws Exception {
    Path script = folder.resolve("forms.py");
    try (InputStream source = PyarrowTest.class.getResourceAsStream("/pyarrow/forms.py")) {
      assertThat(source).isNotNull();
      Files.copy(source, script);
    }

    assertThat(python(script)).endsWith("ok\n");
  }

  @Test
  void theExamplesOfTheDocumentationRun() throws Exception {
    String document = Files.readString(documentation());
    StringBuilder script = new StringBuilder("SERVER = \"" + fixture.server.uri() + "\"\n");
    List<String> names = new ArrayList<>();
    for (Matcher example = EXAMPLE.matcher(document); example.find(); ) {
      names.add(example.group(1));
      script.append(example.group(2)).append('\n');
    }
    Path file = Files.writeString(folder.resolve("examples.py"), script);

    String printed = python(file);

    assertThat(names).containsExactly("first", "rejected", "sequences", "errors");
    assertThat(printed.lines())
        .containsExactly(
            "ok 3",
            "{'id': [2, 3], 'name': ['b', 'c'], 'reading': [1.5, 2.5]}",
            "rejected [(1, 'id', 'key-not-null')]",
            "ok ok",
            "invalid");
  }

  /// Tests run in the module's folder or in the project's.
  private static Path documentation() {
    Path beside = Path.of("../docs/flight.md");
    return Files.exists(beside) ? beside : Path.of("docs/flight.md");
  }

  private String python(Path script) throws IOException, InterruptedException {
    String python = System.getenv("ICEWAL_PYTHON");
    assertThat(python)
        .as("environment variable ICEWAL_PYTHON: a Python with pyarrow; ./icewal test sets it")
        .isNotBlank();
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(python, script.toString(), fixture.server.uri().toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    String printed = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(process.exitValue()).as(printed).isZero();
    return printed;
  }
}
