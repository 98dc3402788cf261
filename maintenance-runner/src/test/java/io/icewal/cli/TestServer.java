package io.icewal.cli;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.icewal.config.IcewalConfig;
import io.icewal.flight.IngestModule;
import io.icewal.flight.IngestServer;
import io.icewal.flight.Resources;
import io.icewal.flight.WarehouseModule;
import io.icewal.runner.MaintenanceLoop;
import io.icewal.runner.MaintenanceModule;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;

/// A server in this process over a folder, and commands run against it. The maintenance loop runs
/// only if it is asked for: else a test says when tables are materialized.
public final class TestServer implements AutoCloseable {
  /// What a command did.
  public record Result(int code, String out, String err) {}

  private final Injector injector;
  private final IngestServer server;
  private final boolean maintained;

  private TestServer(IcewalConfig embeddedOrNot, boolean maintained) {
    this.maintained = maintained;
    IcewalConfig config = embeddedOrNot.withPort(0);
    injector =
        Guice.createInjector(
            new WarehouseModule(config), new IngestModule(), new MaintenanceModule());
    server = injector.getInstance(IngestServer.class);
    server.start();
    if (maintained) {
      injector.getInstance(MaintenanceLoop.class).start();
    }
  }

  public static TestServer withoutMaintenance(Path folder) {
    return new TestServer(IcewalConfig.embedded(folder), false);
  }

  public static TestServer withMaintenance(Path folder) {
    return new TestServer(IcewalConfig.embedded(folder), true);
  }

  /// A server on a catalog and a store of the caller's.
  public static TestServer withoutMaintenance(IcewalConfig config) {
    return new TestServer(config, false);
  }

  public <T> T get(Class<T> type) {
    return injector.getInstance(type);
  }

  public String uri() {
    return server.uri().toString();
  }

  /// Runs a client command against this server.
  public Result run(String... arguments) {
    return runWithInput("", arguments);
  }

  public Result runWithInput(String input, String... arguments) {
    String[] all =
        Stream.concat(Stream.of(arguments), Stream.of("--server", uri())).toArray(String[]::new);
    return icewal(input, all);
  }

  /// Runs any command line.
  public static Result icewal(String input, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false);
    int code = IcewalMain.run(terminal, arguments);
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    if (maintained) {
      injector.getInstance(MaintenanceLoop.class).close();
    }
    server.close();
    injector.getInstance(Resources.class).close();
  }
}
