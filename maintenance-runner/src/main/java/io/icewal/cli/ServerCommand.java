package io.icewal.cli;

import io.icewal.config.IcewalConfig;
import io.icewal.flight.IngestModule;
import io.icewal.flight.IngestServer;
import io.icewal.flight.WarehouseModule;
import io.icewal.runner.MaintenanceLoop;
import io.icewal.runner.MaintenanceModule;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `icewal server`.
@Command(
    name = "server",
    description = {
      "Run an ingestor and the maintenance loop in one process.",
      "It listens on this machine alone. SIGTERM ends it: what was accepted is made durable first."
    })
final class ServerCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private ServingOptions options = new ServingOptions();

  ServerCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    IcewalConfig config = options.read();
    try (ServiceProcess process =
        new ServiceProcess(
            new WarehouseModule(config), new IngestModule(), new MaintenanceModule())) {
      MaintenanceLoop loop = process.add(process.get(MaintenanceLoop.class));
      IngestServer server = process.add(process.get(IngestServer.class));
      server.start();
      loop.start();
      process.handleSignals();
      terminal.out().println("icewal server on " + server.uri() + ", log in " + config.logRoot());
      process.awaitEnd();
      return ExitCode.DONE;
    }
  }
}
