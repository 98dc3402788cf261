package io.icewal.spark.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.Sources;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What docs/spark.md gives to be copied into Python, with PySpark as it is published, and the jar
/// that was just built. Its Spark is that of PySpark.
@Tag("long")
class PySparkTest {
  @Test
  void documentedExampleRunsAsItStandsThere(@TempDir Path folder) throws Exception {
    Path jars = Files.createDirectory(folder.resolve("jars"));
    link(RuntimeJarTest.jar(), jars);
    Path target = Sources.root().resolve("spark-runtime/target");
    for (String part :
        Files.readString(target.resolve("spark.classpath")).split(File.pathSeparator)) {
      if (part.contains("iceberg-spark-runtime")) {
        link(Path.of(part), jars);
      }
    }
    String program =
        example()
            .replace("/opt/icewal/jars", jars.toString())
            .replace("/var/lib/icewal", folder.resolve("data").toString());
    Path script = Files.writeString(folder.resolve("example.py"), program);

    Process python = start(script, folder);

    assertThat(python.waitFor(10, TimeUnit.MINUTES)).isTrue();
    assertThat(Files.readString(folder.resolve("out")))
        .as(Files.readString(folder.resolve("err")))
        .isEqualTo(
            """
            +---+--------+
            | id|    name|
            +---+--------+
            |  1|     pen|
            |  2|blue ink|
            +---+--------+

            """);
    assertThat(python.exitValue()).isZero();
  }

  private static void link(Path jar, Path folder) throws IOException {
    Files.createSymbolicLink(folder.resolve(jar.getFileName()), jar);
  }

  private static String example() throws IOException {
    Matcher block =
        Pattern.compile("```py\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Sources.root().resolve("docs/spark.md")));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  private static Process start(Path script, Path folder) throws IOException {
    String python = System.getenv("ICEWAL_PYTHON");
    assertThat(python)
        .as("ICEWAL_PYTHON, a Python with .ci/python-requirements-all.txt")
        .isNotNull();
    ProcessBuilder builder =
        new ProcessBuilder(python, script.toString())
            .directory(folder.toFile())
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    return builder.start();
  }
}
