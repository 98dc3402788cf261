package io.icewal.cli;

import io.icewal.cli.output.ArrowAsText;
import io.icewal.cli.output.ArrowPrinter;
import io.icewal.cli.output.CsvPrinter;
import io.icewal.cli.output.NdjsonPrinter;
import io.icewal.cli.output.RowPrinter;
import io.icewal.cli.output.TablePrinter;
import io.icewal.client.IcewalClient;
import io.icewal.client.RowStream;
import io.icewal.model.Position;
import io.icewal.protocol.ReadRequest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal cat`.
@Command(
    name = "cat",
    description = "Print a table's rows as they are now: the Iceberg snapshot and the log's tail.",
    footerHeading = "%nExample:%n",
    footer =
        "  icewal cat shop.orders --columns id,amount --where \"amount >= 10 AND note LIKE 'a%%'\"")
final class CatCommand implements Callable<Integer> {
  /// How rows are printed.
  enum Format {
    TABLE,
    NDJSON,
    CSV,
    ARROW
  }

  private final Terminal terminal;

  @Parameters(paramLabel = "NS.T", description = "Name of the table.")
  private String name = "";

  @Option(
      names = "--columns",
      paramLabel = "COLUMN",
      split = ",",
      description = "Columns to print, in this order (default: all).")
  private @Nullable List<String> columns;

  @Option(
      names = "--where",
      paramLabel = "EXPR",
      description =
          "A SQL condition: comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL, nested fields.")
  private @Nullable String where;

  @Option(names = "--limit", paramLabel = "N", description = "Print at most so many rows.")
  private @Nullable Long limit;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table (default), ndjson, csv, or arrow (an IPC stream).")
  private Format format = Format.TABLE;

  @Option(
      names = "--no-tail",
      description = "Read the Iceberg snapshot alone, as any other Iceberg reader sees it.")
  private boolean noTail;

  @Option(
      names = "--at-least",
      paramLabel = "POSITION",
      description = "See everything up to this position, as load prints it, or fail.")
  private @Nullable String atLeast;

  @Mixin private ClientOptions server = new ClientOptions();

  CatCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    ReadRequest request =
        new ReadRequest(
            ClientOptions.table(name),
            columns,
            where,
            limit,
            atLeast == null ? null : Position.parse(atLeast),
            !noTail);
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator)) {
      Schema schema = client.describe(request.table()).schema();
      try (RowStream rows = client.read(request);
          RowPrinter printer = printer(schema)) {
        print(rows, printer, allocator);
      }
    }
    return ExitCode.DONE;
  }

  private void print(RowStream rows, RowPrinter printer, BufferAllocator allocator)
      throws IOException {
    if (!rows.hasNext()) {
      try (VectorSchemaRoot none = VectorSchemaRoot.create(rows.schema(), allocator)) {
        printer.print(none);
      }
    }
    while (rows.hasNext()) {
      printer.print(rows.next());
      if (terminal.out().checkError()) {
        return; // Whoever reads our output has seen enough.
      }
    }
    printer.end();
  }

  private RowPrinter printer(Schema schema) throws IOException {
    return switch (format) {
      case TABLE -> new ArrowAsText(new TablePrinter(terminal.out()), schema);
      case NDJSON -> new ArrowAsText(new NdjsonPrinter(terminal.out()), schema);
      case CSV -> new ArrowAsText(new CsvPrinter(terminal.out()), schema);
      case ARROW -> new ArrowPrinter(terminal.out());
    };
  }
}
