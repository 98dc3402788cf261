package io.icewal.cli;

import io.icewal.config.IcewalConfig;
import io.icewal.flight.IngestModule;
import io.icewal.flight.IngestServer;
import io.icewal.flight.WarehouseModule;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `icewal ingestor`.
@Command(
    name = "ingestor",
    description = {
      "Run an ingestor alone; 'icewal maintain' must run beside it.",
      "Any number of them may share a warehouse."
    })
final class IngestorCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private ServingOptions options = new ServingOptions();

  IngestorCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    IcewalConfig config = options.read();
    try (ServiceProcess process =
        new ServiceProcess(new WarehouseModule(config), new IngestModule())) {
      IngestServer server = process.add(process.get(IngestServer.class));
      server.start();
      process.handleSignals();
      terminal.out().println("icewal ingestor on " + server.uri() + ", log in " + config.logRoot());
      process.awaitEnd();
      return ExitCode.DONE;
    }
  }
}
