package io.icewal.process;

import io.icewal.Sources;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Spark with the connector, as its module's build left both, in a process of its own
/// (`io.icewal.spark.SparkWorker`). Used by one thread.
final class SparkProcess implements AutoCloseable {
  private final Process process;
  private final PrintStream in;
  private final BufferedReader out;
  private final Path errors;

  private SparkProcess(Process process, Path errors) {
    this.process = process;
    this.in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.errors = errors;
  }

  /// Starts one and waits until it runs statements.
  ///
  /// @param config of the warehouse
  static SparkProcess start(Path config, Path folder) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--enable") || option.startsWith("--sun-misc")) {
        command.add(option);
      }
    }
    command.addAll(options());
    command.addAll(List.of("-cp", classPath(), "io.icewal.spark.SparkWorker"));
    command.addAll(List.of(config.toString(), folder.resolve("spark").toString()));
    Path errors = folder.resolve("spark.err");
    SparkProcess spark =
        new SparkProcess(
            new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
    String first = spark.line();
    if (!first.equals("ready")) {
      throw new IllegalStateException("Spark said " + first + " first");
    }
    return spark;
  }

  /// Those that the module's own tests have.
  private static List<String> options() throws IOException {
    String pom = Files.readString(Sources.root().resolve("spark-connector/pom.xml"));
    String options = pom.replaceAll("(?s).*<argLine.common>(.*?)</argLine.common>.*", "$1");
    return List.of(options.split(" "));
  }

  private static String classPath() throws IOException {
    Path target = Sources.root().resolve("spark-connector/target");
    Path libraries = target.resolve("test.classpath");
    if (!Files.isReadable(libraries)) {
      throw new IllegalStateException(
          libraries + " is not there; compile the module spark-connector first");
    }
    return String.join(
        java.io.File.pathSeparator,
        target.resolve("test-classes").toString(),
        target.resolve("classes").toString(),
        Files.readString(libraries).strip());
  }

  private String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IllegalStateException("Spark has ended: " + Files.readString(errors));
    }
    return line;
  }

  /// @param sql in one line
  /// @return the rows, sorted, values parted by bars
  /// @throws SQLException with all that Spark says, if it fails
  List<String> run(String sql) throws SQLException, IOException {
    in.println(sql);
    List<String> rows = new ArrayList<>();
    for (String line = line(); !line.equals("done"); line = line()) {
      if (line.startsWith("error ")) {
        throw new SQLException(line.substring(6));
      }
      rows.add(line.substring(4));
    }
    return rows;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
