package io.icewal.cli;

import io.icewal.cli.trino.TrinoParts;
import io.icewal.cli.trino.TrinoServer;
import io.icewal.flight.WarehouseModule;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.wal.LogRoot;
import java.util.concurrent.Callable;
import org.apache.iceberg.catalog.Catalog;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `icewal trino`.
@Command(
    name = "trino",
    description = {
      "Run a Trino server whose catalog 'icewal' is the warehouse: fresh reads and writes by SQL.",
      "It listens on this machine alone, and needs no icewal server; one may run beside it, for"
          + " Flight and to materialize. SIGTERM ends it."
    })
final class TrinoCommand implements Callable<Integer> {
  static final int DEFAULT_PORT = 8816;

  private final Terminal terminal;

  @Mixin private WarehouseOptions warehouse = new WarehouseOptions();

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "" + DEFAULT_PORT,
      description = "Port of Trino's HTTP, 0 for any free one (default: ${DEFAULT-VALUE}).")
  private int port = DEFAULT_PORT;

  TrinoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    WarehouseOptions.requirePort(port);
    TrinoParts parts = TrinoParts.built();
    try (ServiceProcess process = new ServiceProcess(new WarehouseModule(warehouse.read(null)))) {
      // Trino makes no catalog, and tells less well what is wrong with one.
      process.get(Catalog.class);
      process.get(LogRoot.class);
      TrinoServer server =
          process.add(
              TrinoServer.start(parts, parts.serversFolder(), port, warehouse.asPropertyOfTrino()));
      process.handleSignals();
      terminal.err().println("icewal: starting Trino, log in " + server.log());
      if (answers(server, process)) {
        terminal.out().println("icewal trino on " + server.uri());
        server.onEnd(process::end);
      }
      process.awaitEnd();
      if (process.endedByItself()) {
        throw new IcewalException(
            ErrorKind.UNAVAILABLE, "Trino has ended by itself, see " + server.log());
      }
      return ExitCode.DONE;
    }
  }

  /// Waits until the server answers; false if a signal has ended it before.
  private static boolean answers(TrinoServer server, ServiceProcess process)
      throws InterruptedException {
    try {
      server.awaitAnswers();
      return true;
    } catch (IcewalException e) {
      if (process.signalled()) {
        return false;
      }
      throw e;
    }
  }
}
