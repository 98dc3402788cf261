package io.icewal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.bench.IngestBench;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `icewal bench ingest`.
@Command(
    name = "ingest",
    description =
        "Rows per CPU second through Flight into a durable local log, beside a Flight server that"
            + " discards them.")
final class BenchIngestCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "16000000",
      description = "Measured rows (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(
      names = "--warm",
      paramLabel = "N",
      defaultValue = "6000000",
      description = "Rows before that (default: ${DEFAULT-VALUE}).")
  private long warm;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "20000",
      description = "Rows a batch (default: ${DEFAULT-VALUE}).")
  private int batch;

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  BenchIngestCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    System.setProperty(Terminal.LOG_LEVEL, "warn");
    IngestBench.Result result = new IngestBench(rows, warm, batch).run();
    if (json) {
      ObjectNode out = JsonNodeFactory.instance.objectNode();
      out.put("rows", result.rows());
      out.put("rows_per_cpu_s", result.rowsPerCpuSecond());
      out.put("bare_rows_per_cpu_s", result.bareRowsPerCpuSecond());
      out.put("ratio", result.ratio());
      out.put("cpu_s", result.cpuSeconds());
      out.put("bare_cpu_s", result.bareCpuSeconds());
      out.put("wall_s", result.wallSeconds());
      out.put("bare_wall_s", result.bareWallSeconds());
      out.put("heap_bytes", Runtime.getRuntime().maxMemory());
      JsonOut.print(terminal, out);
    } else {
      terminal
          .out()
          .printf(
              Locale.ROOT,
              "icewal %,d rows/CPU-s, bare Flight server %,d rows/CPU-s, ratio %.2f%n",
              result.rowsPerCpuSecond(),
              result.bareRowsPerCpuSecond(),
              result.ratio());
    }
    return ExitCode.DONE;
  }
}
