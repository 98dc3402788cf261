package io.icewal.cli;

import io.icewal.client.IcewalClient;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `icewal table drop`.
@Command(
    name = "drop",
    description = {
      "Drop a table from the catalog.",
      "Rows of it that are still in the log are kept for 7 days and then dropped."
    })
final class TableDropCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "NS.T", description = "Name of the table.")
  private String name = "";

  @Mixin private ClientOptions server = new ClientOptions();

  TableDropCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator)) {
      client.drop(ClientOptions.table(name));
      terminal.out().println("dropped " + name);
      return ExitCode.DONE;
    }
  }
}
