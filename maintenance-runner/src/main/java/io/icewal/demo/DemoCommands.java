package io.icewal.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/// Shows commands as one would type them, and runs them as they are shown.
final class DemoCommands {
  private final Narrator narrator;
  private final Path samples;
  private final ToIntFunction<String[]> icewal;

  DemoCommands(Narrator narrator, Path samples, ToIntFunction<String[]> icewal) {
    this.narrator = narrator;
    this.samples = samples;
    this.icewal = icewal;
  }

  void run(String... arguments) {
    runExpecting(0, arguments);
  }

  void runExpecting(int exitCode, String... arguments) {
    List<String> shown = new ArrayList<>();
    for (String argument : arguments) {
      shown.add(quoted(argument));
    }
    narrator.command(String.join(" ", shown));
    int code = icewal.applyAsInt(arguments);
    if (code != exitCode) {
      throw new IllegalStateException(
          "the command ended with exit code " + code + ", expected " + exitCode);
    }
    narrator.line("");
  }

  /// As one would type it in a shell.
  private static String quoted(String argument) {
    if (argument.matches("[\\w@%+=:,./-]+")) {
      return argument;
    }
    boolean simple = argument.matches("[^\"$`\\\\!]+");
    return simple ? '"' + argument + '"' : "'" + argument.replace("'", "'\\''") + "'";
  }

  String sample(String name) {
    Path here = Path.of("").toAbsolutePath();
    Path file = samples.resolve(name + ".ndjson.gz").toAbsolutePath();
    return (file.startsWith(here) ? here.relativize(file) : file).toString();
  }
}
