package io.icewal.cli;

import io.icewal.config.IcewalConfig;
import io.icewal.flight.IngestModule;
import io.icewal.flight.IngestServer;
import io.icewal.flight.WarehouseModule;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `icewal ingestor`.
@Command(
    name = "ingestor",
    description = {
      "Run an ingestor alone; 'icewal maintain' must run beside it.",
      "Any number of them may share a warehouse."
    })
final class IngestorCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private WarehouseOptions warehouse = new WarehouseOptions();

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Flight port, 0 for any free one (default: 8815, or server.port of the file).")
  private @Nullable Integer port;

  IngestorCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    IcewalConfig config = warehouse.read(port);
    try (ServiceProcess process =
        new ServiceProcess(new WarehouseModule(config), new IngestModule())) {
      IngestServer server = process.add(process.get(IngestServer.class));
      server.start();
      terminal.out().println("icewal ingestor on " + server.uri() + ", log in " + config.logRoot());
      process.awaitSignal();
      return ExitCode.DONE;
    }
  }
}
