package io.icewal.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The command line of a measurement: options with a number each, `--data DIR` for a folder whose
/// tables stay there and that the next run finds, and `--json` for the results as JSON.
public final class BenchMain {
  /// Options that cannot be.
  public static final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
      super(message);
    }
  }

  /// A measurement, with its warehouse in a folder.
  public interface Work {
    void run(BenchMain main, Path folder) throws Exception;
  }

  private static final String HELP = "--help";
  private static final String DATA = "--data";
  private static final String JSON = "--json";

  private final Map<String, Long> numbers;
  private final ObjectNode results = new ObjectMapper().createObjectNode();
  private final PrintStream out;
  private @Nullable Path data;
  private boolean json;

  private BenchMain(Map<String, Long> defaults, PrintStream out) {
    this.numbers = new TreeMap<>(defaults);
    this.out = out;
  }

  /// Ends the process.
  ///
  /// @param defaults the options that take a number
  public static void run(String[] arguments, Map<String, Long> defaults, Work work) {
    // Servers take System.out and System.err for their logs.
    PrintStream out = System.out;
    PrintStream errors = System.err;
    int code = 1;
    try {
      BenchMain main = new BenchMain(defaults, List.of(arguments).contains(JSON) ? errors : out);
      if (List.of(arguments).contains(HELP)) {
        main.say("Options: %s", main.usage());
      } else {
        main.parse(arguments);
        main.inFolder(work);
      }
      if (main.json) {
        out.println(main.results);
      }
      code = 0;
    } catch (UsageException e) {
      errors.println(e.getMessage());
      code = 2;
    } catch (Throwable e) {
      e.printStackTrace(errors);
    } finally {
      out.flush();
      errors.flush();
      // A server's threads would keep the process alive.
      Runtime.getRuntime().halt(code);
    }
  }

  private void parse(String[] arguments) {
    for (int i = 0; i < arguments.length; i++) {
      String option = arguments[i];
      String value = i + 1 < arguments.length ? arguments[i + 1] : "";
      if (option.equals(JSON)) {
        json = true;
      } else if (option.equals(DATA) && !value.isEmpty()) {
        data = Path.of(value).toAbsolutePath();
        i++;
      } else if (numbers.containsKey(option) && value.matches("[0-9]{1,18}")) {
        numbers.put(option, Long.valueOf(value));
        i++;
      } else {
        throw new UsageException(
            "bad option '" + option + " " + value + "'; options are " + usage());
      }
    }
  }

  private String usage() {
    return JSON + ", " + DATA + " with a folder, or any of these with a number: " + numbers;
  }

  public long number(String option) {
    return numbers.get(option);
  }

  /// For people.
  public void say(String format, Object... values) {
    out.printf(format + "%n", values);
  }

  public void put(String name, long value) {
    results.put(name, value);
  }

  public void tell(BenchResult result) {
    say("%s", result.text());
    result.writeTo(results);
  }

  private void inFolder(Work work) throws Exception {
    Path given = data;
    if (given != null) {
      work.run(this, Files.createDirectories(given));
      return;
    }
    Path folder = Files.createTempDirectory("icewal-bench");
    try {
      work.run(this, folder);
    } finally {
      delete(folder);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.delete(path);
      }
    }
  }
}
