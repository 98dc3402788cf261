package io.icewal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.cli.output.CsvPrinter;
import io.icewal.cli.output.JsonArrayPrinter;
import io.icewal.cli.output.NdjsonPrinter;
import io.icewal.cli.output.ResultBatches;
import io.icewal.cli.output.TablePrinter;
import io.icewal.cli.output.TextPrinter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Prints what SQL statements answer. Rows go to standard output; so does what else was done, where
/// the format has a place for it.
final class StatementOutput {
  /// How rows are printed.
  enum Format {
    TABLE,
    NDJSON,
    CSV,
    JSON
  }

  private final Terminal terminal;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table (default), csv, json (an array of objects), or ndjson (one a line).")
  private Format format;

  /// In the format of the command's option.
  StatementOutput(Terminal terminal) {
    this(terminal, Format.TABLE);
  }

  StatementOutput(Terminal terminal, Format format) {
    this.terminal = terminal;
    this.format = format;
  }

  /// The rows of a query.
  <E extends Exception> void rows(ResultBatches<E> rows) throws IOException, E {
    if (format == Format.JSON || format == Format.NDJSON) {
      rows.requireDistinctNames();
    }
    try (TextPrinter printer = printer()) {
      rows.print(printer, terminal.out()::checkError);
    }
  }

  private TextPrinter printer() throws IOException {
    return switch (format) {
      case TABLE -> new TablePrinter(terminal.out());
      case NDJSON -> new NdjsonPrinter(terminal.out());
      case CSV -> new CsvPrinter(terminal.out());
      case JSON -> new JsonArrayPrinter(terminal.out());
    };
  }

  /// What a statement without rows did.
  ///
  /// @param kind such as `INSERT`
  /// @param count of rows; null where it has none
  void done(String kind, @Nullable Long count) {
    String counted = count == null ? "" : ": " + count + (count == 1 ? " row" : " rows");
    switch (format) {
      case TABLE -> terminal.out().println(kind + counted);
      case JSON -> {
        ObjectNode done = JsonNodeFactory.instance.objectNode().put("statement", kind);
        JsonOut.print(terminal, done.put("rows", count));
      }
      case NDJSON, CSV -> terminal.err().println("icewal: " + kind + counted);
    }
  }

  void warning(String message) {
    terminal.err().println("icewal: warning: " + message);
  }
}
