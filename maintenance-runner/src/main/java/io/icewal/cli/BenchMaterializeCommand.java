package io.icewal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.bench.MaterializeBench;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `icewal bench materialize`.
@Command(
    name = "materialize",
    description =
        "Rows per CPU second from the log into an Iceberg table: new keys, then upserts of which half"
            + " replace a row.")
final class BenchMaterializeCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private final BenchOptions options = new BenchOptions(5_000_000, 1_000_000, 100_000);

  @Option(
      names = "--upserts",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Upserts after that (default: ${DEFAULT-VALUE}).")
  private long upserts;

  BenchMaterializeCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    System.setProperty(Terminal.LOG_LEVEL, "warn");
    MaterializeBench.Result result =
        new MaterializeBench(options.rows(), upserts, options.warm(), options.batch()).run();
    ObjectNode out = JsonNodeFactory.instance.objectNode();
    out.put("insert_rows", result.insertRows());
    out.put("insert_rows_per_cpu_s", result.insertRowsPerCpuSecond());
    out.put("insert_cpu_s", result.insertCpuSeconds());
    out.put("insert_wall_s", result.insertWallSeconds());
    out.put("upsert_rows", result.upsertRows());
    out.put("upsert_rows_per_cpu_s", result.upsertRowsPerCpuSecond());
    out.put("upsert_cpu_s", result.upsertCpuSeconds());
    out.put("upsert_wall_s", result.upsertWallSeconds());
    options.print(
        terminal,
        out,
        "new keys %,d rows/CPU-s, upserts %,d rows/CPU-s%n",
        result.insertRowsPerCpuSecond(),
        result.upsertRowsPerCpuSecond());
    return ExitCode.DONE;
  }
}
