package io.icewal.sim;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Runs seeds of the simulator from the command line: `icewal bench simulate`.
///
/// `--help` says which options there are. Exit code 1 if a seed failed.
public final class Simulate {
  private static final String USAGE =
      """
      Usage: icewal bench simulate [--seeds N] [--from SEED] [--minutes M] [--variant NAME]
             [--trace N] [--json]
      Runs the seeded simulator: writers, materializers, trimmers, readers and a foreign engine over
      one faulty store and catalog, compared with an oracle. Prints one JSON object: seeds, steps,
      commits, scans compared, rounds of trimming, ghosts met, runs by profile and faults by kind;
      exit code 1 if a seed fails.
        --seeds N       how many seeds (default: 100)
        --from SEED     the first one (default: by the clock)
        --minutes M     no new seed after so many minutes
        --variant NAME  without one defence: a rule of the log's model (b01 … l06), or commit:GUARD
        --trace N       a failing seed prints its last N calls
        --json          accepted for scripts; the output is JSON in any case""";

  private final Map<String, Integer> profiles = new TreeMap<>();
  private final Map<String, Integer> faults = new TreeMap<>();
  private long steps;
  private long commits;
  private long reads;
  private int rounds;
  private int ghosts;
  private int passed;

  private Simulate() {}

  public static void main(String[] args) {
    if (List.of(args).contains("--help")) {
      System.out.println(USAGE);
      return;
    }
    System.exit(new Simulate().run(Arguments.parse(args), System.out) ? 0 : 1);
  }

  private record Arguments(
      long seeds, long from, long minutes, Variant variant, String trace, boolean json) {
    static Arguments parse(String[] args) {
      Map<String, String> given = new TreeMap<>();
      for (int i = 0; i < args.length; i++) {
        String value = args[i].equals("--json") ? "" : i + 1 < args.length ? args[i + 1] : "";
        given.put(args[i], value);
        i += args[i].equals("--json") ? 0 : 1;
      }
      return new Arguments(
          Long.parseLong(given.getOrDefault("--seeds", "100")),
          Long.parseLong(
              given.getOrDefault("--from", Long.toString(System.currentTimeMillis() * 1000))),
          Long.parseLong(given.getOrDefault("--minutes", "1440")),
          Variant.parse(given.getOrDefault("--variant", "")),
          given.getOrDefault("--trace", "0"),
          given.containsKey("--json"));
    }
  }

  private boolean run(Arguments arguments, PrintStream out) {
    System.setProperty(Schedule.TRACE_PROPERTY, arguments.trace);
    long deadline = System.nanoTime() + arguments.minutes * 60_000_000_000L;
    for (long seed = arguments.from; seed < arguments.from + arguments.seeds; seed++) {
      if (System.nanoTime() > deadline) {
        break;
      }
      try {
        add(Simulation.run(seed, arguments.variant));
      } catch (AssertionError e) {
        e.printStackTrace(out);
        print(arguments, out, seed);
        return false;
      }
    }
    print(arguments, out, null);
    return true;
  }

  private void add(Simulation.Result result) {
    passed++;
    steps += result.steps();
    commits += result.commits();
    reads += result.reads();
    rounds += result.rounds();
    ghosts += result.ghosts();
    profiles.merge(result.profile(), 1, Integer::sum);
    result.faults().forEach((kind, times) -> faults.merge(kind, times, Integer::sum));
  }

  private void print(
      Arguments arguments, PrintStream out, @org.jspecify.annotations.Nullable Long failed) {
    StringBuilder json = new StringBuilder("{\"from\":" + arguments.from);
    json.append(",\"seeds\":").append(passed).append(",\"failed_seed\":").append(failed);
    json.append(",\"steps\":").append(steps).append(",\"commits\":").append(commits);
    json.append(",\"reads\":").append(reads).append(",\"rounds\":").append(rounds);
    json.append(",\"ghosts\":").append(ghosts).append(",\"profiles\":");
    append(json, profiles);
    append(json.append(",\"faults\":"), faults);
    out.println(json.append('}'));
  }

  private static void append(StringBuilder json, Map<String, Integer> counts) {
    String comma = "";
    json.append('{');
    for (Map.Entry<String, Integer> count : counts.entrySet()) {
      json.append(comma).append('"').append(count.getKey()).append("\":").append(count.getValue());
      comma = ",";
    }
    json.append('}');
  }
}
