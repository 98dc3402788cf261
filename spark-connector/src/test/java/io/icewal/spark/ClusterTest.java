package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Work on executors that are processes of their own.
class ClusterTest {
  @TempDir private Path folder;

  @Test
  @Tag("long")
  void executorsLookKeysUpAndMaterializeThoughOneIsKilled() throws Exception {
    Path home = Files.createDirectories(folder.resolve("home/jars")).getParent();
    Path output = folder.resolve("output");
    List<String> options =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("--") || option.startsWith("-XX"))
            .toList();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    command.addAll(
        List.of(
            "-Xmx1g",
            "-cp",
            classPath,
            ClusterRun.class.getName(),
            Files.createDirectories(folder.resolve("data")).toString(),
            options.stream().collect(Collectors.joining(" "))));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    // Spark looks for its jars there, and does not start executors without; they have a class path
    // of their own.
    builder.environment().put("SPARK_HOME", home.toString());
    builder.environment().put("SPARK_SCALA_VERSION", "2.13");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));

    Process process = builder.start();
    try {
      assertThat(process.waitFor()).as(() -> read(output)).isZero();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    read(output)
        .lines()
        .filter(line -> line.matches("(rows|alone|undisturbed|spread|failed|files) .*"))
        .forEach(System.out::println);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
