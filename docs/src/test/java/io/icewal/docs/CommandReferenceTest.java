package io.icewal.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.Sources;
import io.icewal.cli.IcewalMain;
import io.icewal.cli.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Commands and options, held against what `--help` says of them.
final class CommandReferenceTest {
  private static final Pattern OPTION = Pattern.compile("--[a-z][a-z0-9-]*");

  /// A command line as documents show it: in backticks, or a line of an example.
  private static final Pattern SHOWN =
      Pattern.compile("(?m)(?:`|^ {4}|^|\\| )(?:\\./)?icewal ([a-z][^`\\n#|]*)");

  /// Run by the script itself, or, as the simulator, compiled by it first.
  private static final Set<String> BY_SCRIPT =
      Set.of("test", "build", "bench simulate", "bench spark", "bench trino");

  /// Told once for all commands.
  private static final Set<String> COMMON = Set.of("--help", "--version");

  @Test
  void everyOptionOfEveryCommandStandsInTheReference() throws IOException {
    String reference = Files.readString(Sources.root().resolve("docs/cli.md"));
    Set<String> documented = options(reference);

    commands()
        .forEach(
            (command, usage) -> assertThat(documented).as(command).containsAll(options(usage)));
    assertThat(commands().keySet())
        .allSatisfy(
            command ->
                assertThat(reference).contains(command.substring(command.lastIndexOf(' ') + 1)));
  }

  @Test
  void whatDocumentsTellToTypeIsACommandWithSuchOptions() throws IOException {
    Map<String, String> commands = commands();
    List<String> wrong = new ArrayList<>();
    int seen = 0;
    for (Path document : Sources.documents()) {
      for (MatchResult shown : SHOWN.matcher(Files.readString(document)).results().toList()) {
        String line = shown.group(1).strip();
        if (BY_SCRIPT.stream().noneMatch(line::startsWith)) {
          seen++;
          String usage = commands.get(commandOf(line, commands));
          if (usage == null || !options(usage).containsAll(options(line))) {
            wrong.add(document.getFileName() + ": icewal " + line);
          }
        }
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(seen).isGreaterThan(20);
  }

  private static String commandOf(String line, Map<String, String> commands) {
    String[] words = line.split("\\s+");
    String two = words.length > 1 ? words[0] + " " + words[1] : words[0];
    return commands.containsKey(two) ? two : words[0];
  }

  private static Set<String> options(String text) {
    Set<String> options = new TreeSet<>();
    OPTION.matcher(text).results().map(MatchResult::group).forEach(options::add);
    options.removeAll(COMMON);
    return options;
  }

  /// Each command with its usage text.
  private static Map<String, String> commands() {
    Map<String, String> commands = new LinkedHashMap<>();
    for (String name : subcommands(help())) {
      String usage = help(name);
      commands.put(name, usage);
      for (String second : subcommands(usage)) {
        commands.put(name + " " + second, help(name, second));
      }
    }
    return commands;
  }

  /// The names below `Commands:`.
  private static List<String> subcommands(String usage) {
    int start = usage.indexOf("\nCommands:\n");
    return start < 0
        ? List.of()
        : Pattern.compile("(?m)^ {2}([a-z][a-z-]*)")
            .matcher(usage.substring(start))
            .results()
            .map(match -> match.group(1))
            .filter(name -> !name.equals("help"))
            .toList();
  }

  private static String help(String... command) {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.add("--help");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), stream, stream, false);
    assertThat(IcewalMain.run(terminal, arguments.toArray(String[]::new))).isZero();
    return out.toString(StandardCharsets.UTF_8);
  }
}
