package io.icewal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/// A JVM of its own on this test's class path: for what needs a bounded heap, or a process that is
/// really killed. Its output goes to a file. Used by one thread.
public final class JavaProcess implements AutoCloseable {
  /// Far beyond what a busy machine needs: a test that waits so long has failed.
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final long LOOK_MILLIS = 10;

  private final Process process;
  private final Path output;

  private JavaProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /// Starts a main class.
  ///
  /// @param output takes standard output and errors; what it held before is gone
  public static JavaProcess start(
      Path output, List<String> jvmOptions, String main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--")) { // What opens the JDK to libraries, as it is for this JVM.
        command.add(option);
      }
    }
    command.addAll(jvmOptions);
    command.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classPath()));
    command.add(main);
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      return new JavaProcess(process, output);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command, e);
    }
  }

  /// Surefire's own JVM names its class path in a property, and has a jar that refers to it.
  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  public long id() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /// All lines so far.
  public List<String> lines() {
    try {
      return Files.readAllLines(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes a line to its standard input.
  public void send(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot send " + line + ": " + lines(), e);
    }
  }

  /// The most memory that it ever had of the machine, in bytes; 0 where the system does not tell.
  public long residentPeakBytes() {
    Path status = Path.of("/proc/" + process.pid() + "/status");
    if (!Files.isReadable(status)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(status)) {
      String peak = lines.filter(line -> line.startsWith("VmHWM:")).findFirst().orElseThrow();
      return Long.parseLong(peak.replaceAll("\\D", "")) << 10;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Waits for a line that begins so.
  public String awaitLine(String prefix) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      boolean ended = !process.isAlive();
      Optional<String> line = lines().stream().filter(l -> l.startsWith(prefix)).findFirst();
      if (line.isPresent()) {
        return line.get();
      }
      if (ended) {
        throw new AssertionError(
            "ended with " + process.exitValue() + " and no line '" + prefix + "…': " + lines());
      }
      await(LOOK_MILLIS);
    }
    throw new AssertionError("no line '" + prefix + "…' came: " + lines());
  }

  /// Waits until something is seen that this process has done, or until it has ended.
  public void awaitUntil(BooleanSupplier seen) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!seen.getAsBoolean() && !await(LOOK_MILLIS)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("was never seen: " + lines());
      }
    }
  }

  /// Waits for the end.
  ///
  /// @return the exit code
  public int awaitEnd() {
    if (!await(PATIENCE.toMillis())) {
      throw new AssertionError("does not end: " + lines());
    }
    return process.exitValue();
  }

  /// SIGTERM.
  public void terminate() {
    process.destroy();
  }

  /// SIGKILL, and the end of it.
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  private boolean await(long millis) {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
