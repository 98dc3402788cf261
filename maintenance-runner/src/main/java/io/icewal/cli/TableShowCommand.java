package io.icewal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.client.IcewalClient;
import io.icewal.protocol.ColumnPrinter;
import io.icewal.protocol.TableDescription;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.types.Types.NestedField;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal table show`.
@Command(name = "show", description = "Show a table's columns, key, partitioning and place.")
final class TableShowCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "NS.T", description = "Name of the table.")
  private String name = "";

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  @Mixin private ClientOptions server = new ClientOptions();

  TableShowCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator)) {
      TableDescription table = client.describe(ClientOptions.table(name));
      if (json) {
        JsonOut.print(terminal, json(table));
      } else {
        print(table);
      }
      return ExitCode.DONE;
    }
  }

  private void print(TableDescription table) {
    terminal.out().println("table      " + table.table());
    terminal.out().println("uuid       " + table.uuid());
    terminal.out().println("location   " + table.location());
    terminal.out().println("position   " + (table.position() == null ? "-" : table.position()));
    printColumns(terminal, table);
    new TreeMap<>(table.properties())
        .forEach((key, value) -> terminal.out().println("property   " + key + "=" + value));
  }

  static void printColumns(Terminal terminal, TableDescription table) {
    String key = ColumnPrinter.key(table.schema());
    String partitions = ColumnPrinter.partitions(table.spec());
    terminal.out().println("key        " + (key.isEmpty() ? "- (append-only)" : key));
    terminal.out().println("partition  " + (partitions.isEmpty() ? "-" : partitions));
    for (NestedField column : table.schema().columns()) {
      terminal.out().println("column     " + ColumnPrinter.column(column));
    }
  }

  /// What `table create --json` and `table show --json` print.
  static ObjectNode json(TableDescription table) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("table", table.table().toString());
    object.put("uuid", table.uuid().toString());
    object.put("location", table.location());
    object.put("position", table.position() == null ? null : table.position().toString());
    object.put("columns", ColumnPrinter.columns(table.schema().columns()));
    object.put("key", ColumnPrinter.key(table.schema()));
    object.put("partition", ColumnPrinter.partitions(table.spec()));
    ObjectNode properties = object.putObject("properties");
    new TreeMap<>(table.properties()).forEach(properties::put);
    return object;
  }
}
