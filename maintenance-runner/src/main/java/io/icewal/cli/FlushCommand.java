package io.icewal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.client.IcewalClient;
import io.icewal.model.Position;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal flush`.
@Command(
    name = "flush",
    description = {
      "Wait until everything acknowledged so far is in an Iceberg snapshot.",
      "A maintenance loop must be running: 'icewal server' has one, 'icewal maintain' is one."
    })
final class FlushCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(arity = "0..1", paramLabel = "NS.T", description = "One table (default: all).")
  private @Nullable String name;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "2m",
      converter = Durations.class,
      description = "Give up after this long, with exit code 3 (default: ${DEFAULT-VALUE}).")
  private Duration timeout = Duration.ofMinutes(2);

  @Option(names = "--json", description = "Print a JSON object of tables and their positions.")
  private boolean json;

  @Mixin private ClientOptions server = new ClientOptions();

  FlushCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator)) {
      List<TableIdentifier> tables =
          name == null ? client.tables() : List.of(ClientOptions.table(name));
      ObjectNode positions = JsonNodeFactory.instance.objectNode();
      for (TableIdentifier table : tables) {
        Position position = client.flush(table, timeout);
        positions.put(table.toString(), position.toString());
        if (!json) {
          terminal.out().println(table + " is materialized up to position " + position);
        }
      }
      if (json) {
        JsonOut.print(terminal, positions);
      }
      return ExitCode.DONE;
    }
  }
}
