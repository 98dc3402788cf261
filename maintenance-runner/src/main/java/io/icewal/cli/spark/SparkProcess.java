package io.icewal.cli.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A process of Spark's, and the lines of JSON that it and this one send each other. Used by one
/// thread, but for [#send].
final class SparkProcess implements AutoCloseable {
  /// Set by the `icewal` script to what its user adds to the options of Spark's JVM.
  private static final String OPTIONS = "icewal.spark.options";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration END_MAX = Duration.ofSeconds(30);

  /// What Spark's own scripts open to it in the JDK.
  private static final List<String> OPENED =
      List.of(
          "java.io",
          "java.lang",
          "java.lang.invoke",
          "java.lang.reflect",
          "java.net",
          "java.nio",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "jdk.internal.ref",
          "sun.nio.ch",
          "sun.nio.cs",
          "sun.security.action",
          "sun.util.calendar");

  private final Process process;
  private final SparkFolder folder;
  private final BufferedReader answers;
  private final Thread atShutdown = new Thread(this::endAtShutdown, "spark-end");
  private volatile boolean closing;
  private volatile boolean ended;
  private boolean closed;

  private SparkProcess(Process process, SparkFolder folder) {
    this.process = process;
    this.folder = folder;
    this.answers =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8), 1 << 16);
  }

  /// @param warehouse the catalog's option that names the warehouse, with its value
  static SparkProcess start(SparkParts parts, Map.Entry<String, String> warehouse)
      throws IOException {
    SparkFolder folder = SparkFolder.make(parts.sessionsFolder());
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx2g",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+PerfDisableSharedMem", // Else it writes to the machine's temporary folder.
            "--add-modules=jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dio.netty.tryReflectionSetAccessible=true"));
    OPENED.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    command.addAll(folder.options());
    String given = System.getProperty(OPTIONS, "").strip();
    command.addAll(given.isEmpty() ? List.of() : List.of(given.split("\\s+")));
    command.addAll(List.of("-cp", parts.classPath(), "io.icewal.spark.session.SessionMain"));
    command.addAll(List.of(warehouse.getKey(), warehouse.getValue()));
    Process process = new ProcessBuilder(command).redirectError(folder.log().toFile()).start();
    SparkProcess spark = new SparkProcess(process, folder);
    Runtime.getRuntime().addShutdownHook(spark.atShutdown);
    return spark;
  }

  /// Sends a request.
  ///
  /// @throws IOException if the process has ended
  synchronized void send(String name, Object value) throws IOException {
    try {
      OutputStream out = process.getOutputStream();
      out.write(JSON.writeValueAsBytes(Map.of(name, value)));
      out.write('\n');
      out.flush();
    } catch (IOException e) {
      ended = true;
      throw e;
    }
  }

  /// Waits for an answer.
  ///
  /// @return null if the process has ended
  @Nullable JsonNode answer() throws IOException {
    String line = answers.readLine();
    try {
      ended = line == null;
      return line == null ? null : JSON.readTree(line);
    } catch (JsonProcessingException e) {
      if (answers.readLine() != null) {
        throw e;
      }
      ended = true; // Within a line, which was the last.
      return null;
    }
  }

  /// Whether it has said its last.
  boolean hasEnded() {
    return ended;
  }

  /// For a process that has ended: by itself, which it was not to do, or because a signal ends this
  /// one.
  ///
  /// @param where what goes before messages
  /// @param until what it did not come to, or what is not known for that
  IcewalException endOf(ErrorKind kind, String where, String until) {
    return new IcewalException(
        kind,
        closing
            ? where + "ended by a signal" + until
            : where + "Spark has ended by itself" + until + ", see " + folder.log());
  }

  /// Ends it: first kindly, by the end of its input.
  @Override
  public void close() throws IOException {
    end(/* keepLog= */ ended && !closing);
    try {
      Runtime.getRuntime().removeShutdownHook(atShutdown);
    } catch (IllegalStateException e) {
      // It runs, and waits for this or finds nothing to do.
    }
  }

  /// A signal ends this process wherever it is: Spark's is told to end by a signal, too, as it does
  /// not read its input before it runs statements.
  private void endAtShutdown() {
    closing = true;
    process.destroy();
    try {
      end(/* keepLog= */ false);
    } catch (IOException e) {
      System.err.println("icewal: cannot remove what Spark wrote: " + e);
    }
  }

  private synchronized void end(boolean keepLog) throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    closing = true;
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // What could not be sent when it was told of, cannot be now: it is dead.
    }
    try {
      if (!process.waitFor(END_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    if (keepLog) {
      folder.keepLog();
    } else {
      folder.remove();
    }
  }
}
