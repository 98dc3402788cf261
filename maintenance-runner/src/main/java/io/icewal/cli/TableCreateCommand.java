package io.icewal.cli;

import io.icewal.cli.schema.ColumnGuess;
import io.icewal.client.IcewalClient;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.ColumnPrinter;
import io.icewal.protocol.ColumnText;
import io.icewal.protocol.PartitionText;
import io.icewal.protocol.TableDefinition;
import io.icewal.protocol.TableDescription;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal table create`.
@Command(
    name = "create",
    description = "Create a table, keyed or append-only.",
    footerHeading = "%nExample:%n",
    footer = {
      "  icewal table create shop.orders --key id \\",
      "    --columns 'id bigint not null, at timestamptz, amount decimal(12,2), tags list<string>' \\",
      "    --partition 'bucket(16,id)'"
    })
final class TableCreateCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "NS.T", description = "Name of the table.")
  private String name = "";

  @Option(
      names = "--columns",
      paramLabel = "LIST",
      description = {
        "Columns: 'name type [not null], …'. Types: boolean, int, bigint, float, double,"
            + " decimal(p,s), date, time, timestamp, timestamptz, timestamp_ns, timestamptz_ns,"
            + " string, uuid, fixed(n), binary, struct<…>, list<…>, map<…>, unknown.",
        "With --like: these columns, and the guessed ones beside them."
      })
  private @Nullable String columns;

  @Option(
      names = "--like",
      paramLabel = "FILE",
      description = "Guess the columns from an NDJSON file (.gz too, - for standard input).")
  private @Nullable String like;

  @Option(
      names = "--key",
      paramLabel = "COLUMN",
      split = ",",
      description =
          "Columns of the primary key, which become not null. Without one the table is append-only:"
              + " every row is kept.")
  private List<String> key = List.of();

  @Option(
      names = "--partition",
      paramLabel = "LIST",
      description =
          "Partitioning: columns, year(c), month(c), day(c), hour(c), bucket(n,c), truncate(w,c).")
  private String partition = "";

  @Option(
      names = "--property",
      paramLabel = "KEY=VALUE",
      description = "Further table properties of Iceberg.")
  private Map<String, String> properties = Map.of();

  @Option(names = "--json", description = "Print the table's description as JSON.")
  private boolean json;

  @Mixin private ClientOptions server = new ClientOptions();

  TableCreateCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    Schema schema = ColumnText.schema(columnFields(), key);
    PartitionSpec spec =
        partition.isBlank() ? PartitionSpec.unpartitioned() : PartitionText.spec(partition, schema);
    TableDefinition definition =
        new TableDefinition(ClientOptions.table(name), schema, spec, properties);
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator)) {
      TableDescription created = client.create(definition);
      if (json) {
        JsonOut.print(terminal, TableShowCommand.json(created));
      } else {
        terminal.out().println("created " + created.table());
        TableShowCommand.printColumns(terminal, created);
      }
      return ExitCode.DONE;
    }
  }

  private List<NestedField> columnFields() throws IOException {
    String given = columns;
    if (like == null) {
      if (given == null) {
        throw new IcewalException(
            ErrorKind.INVALID, "which columns? Give --columns, or --like FILE to guess them");
      }
      return ColumnText.columns(given);
    }
    Map<String, NestedField> fields = new LinkedHashMap<>();
    try (InputStream in = InputFiles.open(like, terminal)) {
      ColumnGuess.columns(in, like).forEach(field -> fields.put(field.name(), field));
    }
    if (given != null) {
      ColumnText.columns(given).forEach(field -> fields.put(field.name(), field));
    }
    // Guessed and given columns both count their ids from 1: the text form counts anew.
    return ColumnText.columns(ColumnPrinter.columns(new ArrayList<>(fields.values())));
  }
}
