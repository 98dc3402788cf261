package io.icewal.cli;

import io.icewal.client.IcewalClient;
import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import io.icewal.protocol.AdoptRequest;
import io.icewal.protocol.TableAdoption;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal table adopt`.
@Command(
    name = "adopt",
    description = {
      "Take over an Iceberg table that another engine made, or one that was replaced.",
      "It gets format version 3, its key, the properties of a new table where it has none, and a"
          + " position at the end of the log, in one commit. The server first reads the keys of all"
          + " rows; whatever is in the way is named, and nothing is changed."
    },
    footerHeading = "%nExample:%n",
    footer = {
      "  icewal table adopt shop.orders --key id --dry-run",
    })
final class TableAdoptCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "NS.T", description = "Name of the table.")
  private String name = "";

  @Option(
      names = "--key",
      paramLabel = "COLUMN",
      split = ",",
      description =
          "Columns of the primary key (default: the table's identifier fields; without any it"
              + " becomes append-only).")
  private @Nullable List<String> key;

  @Option(
      names = "--require-key",
      description = "Make optional key columns required (not null), if no row has a null in them.")
  private boolean requireKey;

  @Option(
      names = "--dry-run",
      description = "Tell what would be done, or what is in the way, and change nothing.")
  private boolean dryRun;

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  @Mixin private ClientOptions server = new ClientOptions();

  TableAdoptCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    AdoptRequest request = new AdoptRequest(ClientOptions.table(name), key, requireKey, dryRun);
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator)) {
      TableAdoption adoption = client.adopt(request);
      if (json) {
        JsonOut.print(terminal, adoption.toNode());
      } else {
        print(adoption);
      }
      return adoption.isRefused() ? ExitCode.INVALID : ExitCode.DONE;
    } catch (IcewalException e) {
      if (e.verdicts().isEmpty()) {
        throw e;
      }
      printRefusals(e.verdicts());
      return ExitCode.INVALID;
    }
  }

  private void print(TableAdoption adoption) {
    if (adoption.isRefused()) {
      printRefusals(adoption.refusals());
      return;
    }
    terminal.out().println(headline(adoption));
    terminal.out().println("key        " + key(adoption));
    if (adoption.position() != null) {
      terminal.out().println("position   " + adoption.position());
    }
    adoption.changes().forEach(change -> terminal.out().println("change     " + change));
    adoption.warnings().forEach(warning -> terminal.out().println("warning    " + warning));
  }

  private String headline(TableAdoption adoption) {
    String looked = adoption.rows() + " rows in " + adoption.dataFiles() + " data files looked at";
    return switch (adoption.outcome()) {
      case "adopted" -> "adopted " + name + ", " + looked;
      case "adopted_before" -> name + " is adopted already";
      default -> name + " can be adopted, " + looked;
    };
  }

  private static String key(TableAdoption adoption) {
    return adoption.key().isEmpty() ? "- (append-only)" : String.join(", ", adoption.key());
  }

  private void printRefusals(List<Verdict> refusals) {
    for (Verdict refusal : refusals) {
      terminal
          .err()
          .println("icewal: " + name + " cannot be adopted: " + oneLine(refusal.message()));
    }
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
