package io.icewal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.icewal.client.IcewalClient;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.catalog.TableIdentifier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `icewal table list`.
@Command(name = "list", description = "List the catalog's tables.")
final class TableListCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(names = "--json", description = "Print a JSON array of names.")
  private boolean json;

  @Mixin private ClientOptions server = new ClientOptions();

  TableListCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator)) {
      List<TableIdentifier> tables = client.tables();
      if (json) {
        ArrayNode names = JsonNodeFactory.instance.arrayNode();
        tables.forEach(table -> names.add(table.toString()));
        JsonOut.print(terminal, names);
      } else {
        tables.forEach(terminal.out()::println);
      }
      return ExitCode.DONE;
    }
  }
}
