package io.icewal.storage.s3;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// An S3 server for tests: s3proxy over a folder, in a process of its own, on a free port of
/// 127.0.0.1, with signatures checked. Buckets are folders of the root.
///
/// It creates objects by link(2), so its `If-None-Match: *` has one winner; its `If-Match` has not,
/// and is not used. It keeps what it has acknowledged when killed.
///
/// Its class path is written by core's build to `core/target/s3proxy.classpath`.
public final class S3ProxyServer implements AutoCloseable {
  private static final String MAIN = "org.gaul.s3proxy.Main";
  private static final String ACCESS_KEY = "icewal-test";
  private static final String SECRET_KEY = "icewal-test-secret";
  private static final int STARTS_MAX = 3;
  private static final int LOOKS_MAX = 600;
  private static final int LOOK_MILLIS = 100;

  /// Without it s3proxy logs every request.
  private static final String QUIET =
      """
      <configuration>
        <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d %-5level %logger{20} %msg%n</pattern></encoder>
        </appender>
        <root level="WARN"><appender-ref ref="console"/></root>
      </configuration>
      """;

  private final Path root;
  private final Process process;
  private final int port;

  private S3ProxyServer(Path root, Process process, int port) {
    this.root = root;
    this.process = process;
    this.port = port;
  }

  /// Starts a server over a folder and waits until it answers.
  public static S3ProxyServer start(Path folder) throws IOException, InterruptedException {
    Path root = Files.createDirectories(folder.toAbsolutePath().resolve("buckets"));
    for (int i = 1; ; i++) {
      int port = freePort();
      Process process = launch(folder.toAbsolutePath(), root, port);
      if (isUp(process, port)) {
        return new S3ProxyServer(root, process, port);
      }
      process.destroyForcibly();
      if (i == STARTS_MAX) {
        throw new IOException(
            "s3proxy does not start: " + Files.readString(folder.resolve("s3proxy.log")));
      }
    }
  }

  /// Makes a bucket.
  public S3ProxyServer withBucket(String name) throws IOException {
    Files.createDirectories(root.resolve(name));
    return this;
  }

  public String endpoint() {
    return "http://127.0.0.1:" + port;
  }

  /// What [S3ObjectStore] and Iceberg's S3FileIO need to reach this server.
  public Map<String, String> icebergProperties() {
    return new HashMap<>(
        Map.of(
            "s3.endpoint",
            endpoint(),
            "s3.path-style-access",
            "true",
            "s3.access-key-id",
            ACCESS_KEY,
            "s3.secret-access-key",
            SECRET_KEY,
            "client.region",
            "us-east-1"));
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Process launch(Path folder, Path root, int port) throws IOException {
    Path logback = Files.writeString(folder.resolve("logback.xml"), QUIET);
    Path settings = folder.resolve("s3proxy.properties");
    Files.writeString(
        settings,
        """
        s3proxy.endpoint=http://127.0.0.1:%d
        s3proxy.authorization=aws-v2-or-v4
        s3proxy.identity=%s
        s3proxy.credential=%s
        s3proxy.ignore-unknown-headers=true
        jclouds.provider=filesystem
        jclouds.filesystem.basedir=%s
        """
            .formatted(port, ACCESS_KEY, SECRET_KEY, root));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dlogback.configurationFile=" + logback,
            "-cp",
            Files.readString(classpathFile()).strip(),
            MAIN,
            "--properties",
            settings.toString());
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("s3proxy.log").toFile())
        .start();
  }

  /// Tests of any module run somewhere below the repository's root.
  private static Path classpathFile() throws IOException {
    Path here = Path.of("").toAbsolutePath();
    return Stream.iterate(here, path -> path != null, Path::getParent)
        .map(path -> path.resolve("core/target/s3proxy.classpath"))
        .filter(Files::isRegularFile)
        .findFirst()
        .orElseThrow(
            () ->
                new IOException(
                    "core/target/s3proxy.classpath not found above "
                        + here
                        + ": build core first"));
  }

  private static boolean isUp(Process process, int port) throws InterruptedException, IOException {
    for (int i = 0; i < LOOKS_MAX; i++) {
      if (process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        return false;
      }
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
        return true;
      } catch (ConnectException e) {
        continue; // Not listening yet.
      }
    }
    return false;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
