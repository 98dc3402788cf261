package io.icewal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.bench.IngestBench;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `icewal bench ingest`.
@Command(
    name = "ingest",
    description =
        "Rows per CPU second through Flight into a durable local log, beside a Flight server that"
            + " discards them.")
final class BenchIngestCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private final BenchOptions options = new BenchOptions(16_000_000, 6_000_000, 20_000);

  BenchIngestCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    System.setProperty(Terminal.LOG_LEVEL, "warn");
    IngestBench.Result result =
        new IngestBench(options.rows(), options.warm(), options.batch()).run();
    ObjectNode out = JsonNodeFactory.instance.objectNode();
    out.put("rows", result.rows());
    out.put("rows_per_cpu_s", result.rowsPerCpuSecond());
    out.put("bare_rows_per_cpu_s", result.bareRowsPerCpuSecond());
    out.put("ratio", result.ratio());
    out.put("cpu_s", result.cpuSeconds());
    out.put("bare_cpu_s", result.bareCpuSeconds());
    out.put("wall_s", result.wallSeconds());
    out.put("bare_wall_s", result.bareWallSeconds());
    options.print(
        terminal,
        out,
        "icewal %,d rows/CPU-s, bare Flight server %,d rows/CPU-s, ratio %.2f%n",
        result.rowsPerCpuSecond(),
        result.bareRowsPerCpuSecond(),
        result.ratio());
    return ExitCode.DONE;
  }
}
