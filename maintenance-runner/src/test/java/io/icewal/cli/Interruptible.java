package io.icewal.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Commands as processes that take Ctrl-C: one that was started in the background may pass on that
/// it does not, and no shell can undo that.
final class Interruptible {
  private static final String TAKES_INTERRUPTS =
      "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
          + " os.execv(sys.argv[1], sys.argv[1:])";

  private Interruptible() {}

  /// Not started yet.
  static ProcessBuilder icewal(List<String> jvmOptions, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(System.getenv().getOrDefault("ICEWAL_PYTHON", "python3"));
    command.addAll(List.of("-c", TAKES_INTERRUPTS));
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add("io.icewal.cli.IcewalMain");
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /// SIGINT, as Ctrl-C sends it.
  static void interrupt(Process process) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
  }
}
