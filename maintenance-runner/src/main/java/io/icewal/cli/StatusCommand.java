package io.icewal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.cli.output.TextTable;
import io.icewal.cli.output.TextTable.Align;
import io.icewal.client.IcewalClient;
import io.icewal.model.Position;
import io.icewal.protocol.TableStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal status`.
@Command(
    name = "status",
    description = {
      "Show how tables stand.",
      "",
      "rows: live rows, as a read sees them. position: the last log segment that is in Iceberg. end: the"
          + " last segment of the log. tail: rows after the position, their size in the log and the age"
          + " of the oldest. parked: blocks moved aside because the table cannot take them now."
    })
final class StatusCommand implements Callable<Integer> {
  private static final List<String> HEADER =
      List.of(
          "table",
          "rows",
          "position",
          "end",
          "tail rows",
          "tail bytes",
          "tail age",
          "files",
          "DVs",
          "parked");

  private final Terminal terminal;

  @Parameters(arity = "0..1", paramLabel = "NS.T", description = "One table (default: all).")
  private @Nullable String name;

  @Option(names = "--json", description = "Print a JSON array, one object a table.")
  private boolean json;

  @Mixin private ClientOptions server = new ClientOptions();

  StatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator)) {
      List<TableStatus> tables =
          name == null ? client.status() : List.of(client.status(ClientOptions.table(name)));
      if (json) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        tables.forEach(table -> array.add(json(table)));
        JsonOut.print(terminal, array);
      } else {
        print(tables);
      }
      return ExitCode.DONE;
    }
  }

  private static ObjectNode json(TableStatus table) {
    ObjectNode object = table.toNode();
    object.put("table", table.table().toString());
    return object;
  }

  private void print(List<TableStatus> tables) {
    List<List<String>> rows = new ArrayList<>();
    for (TableStatus table : tables) {
      rows.add(
          List.of(
              table.table().toString(),
              count(table.rows()),
              number(table.position()),
              number(table.end()),
              count(table.tailRows()),
              count(table.tailBytes()),
              age(table.tailAgeMillis()),
              count(table.dataFiles()),
              count(table.deletionVectors()),
              count(table.parkedBlocks())));
    }
    List<Align> align = new ArrayList<>(Collections.nCopies(HEADER.size(), Align.RIGHT));
    align.set(0, Align.LEFT);
    TextTable text = new TextTable(terminal.out(), HEADER, align, rows);
    text.printHeader();
    rows.forEach(text::printRow);
    for (TableStatus table : tables) {
      if (table.lastError() != null) {
        terminal.out().println(table.table() + ": " + table.lastError());
      }
    }
  }

  private static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String number(@Nullable Position position) {
    return position == null ? "-" : Long.toString(position.number());
  }

  private static String age(long millis) {
    if (millis == 0) {
      return "-";
    }
    return millis < 120_000 ? millis / 1000 + "s" : millis / 60_000 + "m";
  }
}
