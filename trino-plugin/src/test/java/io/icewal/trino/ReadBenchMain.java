package io.icewal.trino;

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

/// `./icewal bench trino`: a [ReadBench] in a server of its own.
///
/// Takes `--base N --tail N --rows-per-second N --rounds N --data DIR`, of which each may be left
/// out. With a folder the tables stay there, and the next run finds them.
final class ReadBenchMain {
  private static final String DATA = "--data";
  private static final Map<String, Long> NUMBERS =
      Map.of(
          "--base", 20_000_000L, "--tail", 1_000_000L, "--rows-per-second", 5_000L, "--rounds", 5L);

  private final Map<String, Long> numbers = new TreeMap<>(NUMBERS);
  private @Nullable Path data;

  private ReadBenchMain(String[] arguments) {
    for (int i = 0; i < arguments.length; i += 2) {
      String option = arguments[i];
      boolean known = option.equals(DATA) || NUMBERS.containsKey(option);
      if (!known || i + 1 == arguments.length) {
        throw new IllegalArgumentException(
            "bad option '"
                + option
                + "'; expected "
                + new TreeMap<>(NUMBERS).keySet()
                + " with a number, or "
                + DATA
                + " with a folder");
      }
      if (option.equals(DATA)) {
        data = Path.of(arguments[i + 1]).toAbsolutePath();
      } else {
        numbers.put(option, Long.valueOf(arguments[i + 1]));
      }
    }
  }

  private ReadBench.Sizes sizes() {
    return new ReadBench.Sizes(
        numbers.get("--base"),
        numbers.get("--tail"),
        numbers.get("--rows-per-second").intValue(),
        numbers.get("--rounds").intValue());
  }

  private void run(PrintStream out) throws Exception {
    boolean keeps = data != null;
    Path folder =
        keeps ? Files.createDirectories(data) : Files.createTempDirectory("icewal-bench-trino");
    try (TrinoServer trino = TrinoServer.in(folder, 0)) {
      ReadBench.Sizes sizes = sizes();
      out.printf(
          "%d rows in files, %d upserts of them in the log, %d more arrive each second;"
              + " fresh beside stock, medians of %d%n",
          sizes.baseRows(), sizes.tailRows(), sizes.rowsPerSecond(), sizes.rounds());
      long start = System.nanoTime();
      BenchTables tables = new BenchTables(trino, sizes);
      tables.fill();
      out.printf(
          "tables are there after %d s; rows|blocks|segments of the log to read: %s%n",
          (System.nanoTime() - start) / 1_000_000_000, tables.tail());
      ArrivingRows.Arrived arrived =
          new ReadBench(trino, sizes, result -> out.println(result.text())).run();
      out.printf(
          "%d rows arrived in %d s; the process that wrote them took %d s of CPU%n",
          arrived.rows(), arrived.time().toSeconds(), arrived.cpu().toSeconds());
      out.printf("rows|blocks|segments of the log to read: %s%n", tables.tail());
    } finally {
      if (!keeps) {
        delete(folder);
      }
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

  public static void main(String[] arguments) {
    // Trino's test server takes System.out and System.err for its log.
    PrintStream out = System.out;
    PrintStream errors = System.err;
    int code = 1;
    try {
      new ReadBenchMain(arguments).run(out);
      code = 0;
    } catch (IllegalArgumentException e) {
      errors.println(e.getMessage());
      code = 2;
    } catch (Exception e) {
      e.printStackTrace(errors);
    } finally {
      out.flush();
      // Ends the server's threads, which would keep the process alive.
      System.exit(code);
    }
  }
}
