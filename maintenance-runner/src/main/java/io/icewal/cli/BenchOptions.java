package io.icewal.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import picocli.CommandLine.Option;

/// What every measurement is told, and how it tells its result.
final class BenchOptions {
  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "Rows that are measured (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(
      names = "--warm",
      paramLabel = "N",
      description = "Rows before that, which warm up (default: ${DEFAULT-VALUE}).")
  private long warm;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Rows of a batch, or of a commit (default: ${DEFAULT-VALUE}).")
  private int batch;

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  /// The defaults.
  BenchOptions(long rows, long warm, int batch) {
    this.rows = rows;
    this.warm = warm;
    this.batch = batch;
  }

  long rows() {
    return rows;
  }

  long warm() {
    return warm;
  }

  int batch() {
    return batch;
  }

  /// Prints the result: as JSON where that was asked for, with the heap that it had, or as text.
  void print(Terminal terminal, ObjectNode result, String format, Object... figures) {
    if (json) {
      result.put("heap_bytes", Runtime.getRuntime().maxMemory());
      JsonOut.print(terminal, result);
    } else {
      terminal.out().printf(Locale.ROOT, format, figures);
    }
  }
}
