package io.icewal.cli;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.ObjectStore;
import io.icewal.wal.AcceptedLoss;
import io.icewal.wal.LogRoot;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal log accept-loss`.
@Command(
    name = "accept-loss",
    description = {
      "Accept for good that a segment of the log, or one block of it, is lost, so that writers and"
          + " readers go on without its rows.",
      "Only what is damaged or missing can be accepted. Try first to restore the object."
    })
final class LogAcceptLossCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "SEGMENT", description = "Number of the segment that the error names.")
  private long segment;

  @Option(
      names = "--block",
      paramLabel = "N",
      description = "Only this block of the segment, if the error names one.")
  private @Nullable Integer block;

  @Option(
      names = "--log",
      paramLabel = "N",
      description = "Which log: the N of log-N in the object's name (default: 0).")
  private int log;

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why, for those who come later; it is kept in the log.")
  private String reason = "";

  @Mixin private WarehouseOptions warehouse = new WarehouseOptions();

  LogAcceptLossCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws Exception {
    IcewalConfig config = warehouse.read(null);
    SecureRandom random = new SecureRandom();
    try (ObjectStore store = config.openLogStore()) {
      LogRoot root = LogRoot.openOrCreate(store, config.log().countIfNew(), random);
      if (log < 0 || log >= root.all().size()) {
        throw new IcewalException(
            ErrorKind.INVALID, "--log must be 0 to " + (root.all().size() - 1) + ", got " + log);
      }
      accept(root, root.log(log), random);
    }
    terminal.out().println("accepted the loss of " + what() + ": " + reason);
    return ExitCode.DONE;
  }

  private void accept(LogRoot root, LogName name, SecureRandom random) {
    if (block == null) {
      AcceptedLoss.ofSegment(root, name, segment, reason, random);
    } else {
      AcceptedLoss.ofBlock(root, name, segment, block, reason);
    }
  }

  private String what() {
    return (block == null ? "" : "block " + block + " of ") + "segment " + segment;
  }
}
