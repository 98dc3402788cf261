package io.icewal.cli.trino;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A Trino server with one catalog, `icewal`, as a process of its own.
///
/// Used by one thread, but for [#onEnd]. Closing it ends the server and waits for that.
public final class TrinoServer implements AutoCloseable {
  /// It listens on this machine alone: nobody has to say who he is.
  static final String HOST = "127.0.0.1";

  /// A machine that is busy with other things starts one in a minute.
  private static final Duration START_MAX = Duration.ofMinutes(4);

  private static final Duration END_MAX = Duration.ofSeconds(30);
  private static final long LOOK_MILLIS = 200;
  private static final int LOG_LINES_TOLD_MAX = 3;

  /// As much again of older lines is kept beside it.
  private static final long LOG_BYTES_MAX = 10L << 20;

  private final Process process;
  private final TrinoFolder folder;
  private final int port;
  private final boolean anyPort;
  private final Thread logging;
  private boolean answered;

  private TrinoServer(Process process, TrinoFolder folder, int port, boolean anyPort) {
    this.process = process;
    this.folder = folder;
    this.port = port;
    this.anyPort = anyPort;
    this.logging = new Thread(this::writeLog, "trino-log");
    logging.setDaemon(true);
    logging.start();
  }

  /// Starts one that does not answer yet.
  ///
  /// @param parent where its folder is made, `server-PORT`; nothing is written elsewhere
  /// @param port 0 for any free one; then the folder goes when the server is closed, for the next
  ///   one will have another
  /// @param warehouse `icewal.data` or `icewal.config`, with its value
  /// @throws IcewalException INVALID if the port is taken
  public static TrinoServer start(
      TrinoParts parts, Path parent, int port, Map.Entry<String, String> warehouse) {
    int free = freePort(port);
    Path path = parent.resolve("server-" + free).toAbsolutePath();
    try {
      TrinoFolder folder = TrinoFolder.make(path, parts, free, warehouse);
      Process process =
          new ProcessBuilder(command(parts))
              .directory(path.toFile())
              .redirectErrorStream(true)
              .start();
      return new TrinoServer(process, folder, free, port == 0);
    } catch (IOException e) {
      throw new IcewalException(
          ErrorKind.INVALID, "cannot start Trino in " + path + ": " + e.getMessage(), e);
    }
  }

  /// Looks whether the port can be had. Somebody may take it before Trino does, whose log then says
  /// so.
  private static int freePort(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(HOST), port));
      return socket.getLocalPort();
    } catch (BindException e) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "port " + port + " is taken or not to be had; choose another with --port",
          e);
    } catch (IOException e) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE, "cannot look for port " + port + ": " + e.getMessage(), e);
    }
  }

  private static List<String> command(TrinoParts parts) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx2g",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:+PerfDisableSharedMem", // Else it writes to the machine's temporary folder.
        "--add-modules=jdk.incubator.vector",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-Djava.io.tmpdir=tmp",
        "-Dconfig=etc/config.properties",
        "-Dlog.levels-file=etc/log.properties",
        "-cp",
        parts.server(),
        "io.icewal.trino.server.TrinoServerMain");
  }

  /// Where a JDBC driver finds it, such as `jdbc:trino://127.0.0.1:8816/icewal`.
  public String uri() {
    return "jdbc:trino://" + HOST + ":" + port + "/icewal";
  }

  /// What it says while it runs.
  public Path log() {
    return folder.log();
  }

  private void writeLog() {
    try {
      new BoundedLog(log(), LOG_BYTES_MAX).take(process.getInputStream());
    } catch (IOException e) {
      // A server that nobody listens to would wait for ever.
      process.destroy();
      throw new UncheckedIOException("cannot write the log of Trino, " + log(), e);
    }
  }

  /// Waits until it answers queries.
  ///
  /// @throws IcewalException UNAVAILABLE if it ends or takes too long
  public void awaitAnswers() throws InterruptedException {
    long end = System.nanoTime() + START_MAX.toNanos();
    @Nullable SQLException last = null;
    while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      try {
        query();
        answered = true;
        return;
      } catch (SQLException e) {
        last = e;
      }
      if (System.nanoTime() > end) {
        throw new IcewalException(
            ErrorKind.UNAVAILABLE,
            "Trino does not answer after " + START_MAX + ", see " + log() + ": " + last,
            last);
      }
    }
    logging.join();
    throw new IcewalException(
        ErrorKind.UNAVAILABLE,
        "Trino did not start, see " + log() + ": " + String.join(" · ", errors()));
  }

  private void query() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", "icewal");
    try (Connection connection = new io.trino.jdbc.TrinoDriver().connect(uri(), properties);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT count(*) FROM information_schema.schemata")) {
      rows.next();
    }
  }

  /// The first lines of the log that name a fault.
  private List<String> errors() {
    try {
      return Files.readAllLines(log()).stream()
          .filter(line -> line.contains("ERROR") || line.matches("\\d+\\) Error.*|Caused by.*"))
          .limit(LOG_LINES_TOLD_MAX)
          .map(line -> line.replaceAll("\\s+", " "))
          .toList();
    } catch (IOException e) {
      return List.of("its log cannot be read: " + e.getMessage());
    }
  }

  /// Runs something when the server has ended, by itself or closed.
  public void onEnd(Runnable action) {
    process.onExit().thenRun(action);
  }

  public boolean isRunning() {
    return process.isAlive();
  }

  /// Ends the server: first kindly, by the end of its input. What tells why a server did not
  /// answer, or ended by itself, stays.
  @Override
  public void close() throws IOException, InterruptedException {
    boolean ran = answered && process.isAlive();
    process.getOutputStream().close();
    if (!process.waitFor(END_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly().waitFor();
    }
    logging.join();
    if (ran && anyPort) {
      folder.remove();
    } else {
      folder.removeTemporaryFiles();
    }
  }
}
