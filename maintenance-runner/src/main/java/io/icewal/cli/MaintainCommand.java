package io.icewal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.icewal.config.IcewalConfig;
import io.icewal.flight.WarehouseModule;
import io.icewal.runner.CatchUp;
import io.icewal.runner.CatchUp.TableResult;
import io.icewal.runner.MaintenanceLoop;
import io.icewal.runner.MaintenanceModule;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `icewal maintain`.
@Command(
    name = "maintain",
    description = {
      "Run the maintenance loop: materialize what waits in the log, trim it, clean up.",
      "Any number of them may share a warehouse."
    })
final class MaintainCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private WarehouseOptions warehouse = new WarehouseOptions();

  @Option(
      names = "--once",
      description =
          "Materialize everything that was acknowledged before the start, whether it is due or not,"
              + " and end. Exit code 1 says that a table could not take it.")
  private boolean once;

  @Option(names = "--json", description = "With --once: print a JSON array of the tables.")
  private boolean json;

  MaintainCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    IcewalConfig config = warehouse.read(null);
    try (ServiceProcess process =
        new ServiceProcess(new WarehouseModule(config), new MaintenanceModule())) {
      if (once) {
        return report(process.get(CatchUp.class).run());
      }
      process.add(process.get(MaintenanceLoop.class)).start();
      process.handleSignals();
      terminal.out().println("icewal maintenance of " + config.logRoot());
      process.awaitEnd();
      return ExitCode.DONE;
    }
  }

  private int report(List<TableResult> tables) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    boolean well = true;
    for (TableResult table : tables) {
      well &= table.error() == null;
      if (json) {
        array
            .addObject()
            .put("table", table.name())
            .put("uuid", table.tableId().toString())
            .put("position", table.position())
            .put("error", table.error());
      } else if (table.error() == null) {
        terminal
            .out()
            .println(table.name() + " is materialized up to position " + table.position());
      } else {
        terminal.err().println("icewal: " + table.name() + ": " + table.error());
      }
    }
    if (json) {
      JsonOut.print(terminal, array);
    }
    return well ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }
}
