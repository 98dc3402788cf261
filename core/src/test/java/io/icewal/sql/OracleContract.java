package io.icewal.sql;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random changes by SQL and by other writers of the log, of rows, columns and files, against an
/// oracle that holds what was acknowledged. After every step queries must give what it knows.
///
/// `-Dicewal.seed=N` runs that seed alone, `-Dicewal.seeds=N` so many from it on. Without them some
/// seeds are always the same and some are new each time.
public abstract class OracleContract {
  private static final int STEPS = 14;
  private static final int FIXED_SEEDS = 4;
  private static final int FRESH_SEEDS = 2;
  private static final int LONG_SEEDS = 100;
  private static final int SEEDS = 1_000_000;

  private final OracleEngine engine;

  protected OracleContract(OracleEngine engine) {
    this.engine = engine;
  }

  static LongStream quickSeeds() {
    Long first = Long.getLong("icewal.seed");
    return first == null
        ? LongStream.concat(
            LongStream.rangeClosed(1, FIXED_SEEDS),
            new Random().longs(FRESH_SEEDS, LONG_SEEDS, SEEDS))
        : LongStream.range(first, first + Long.getLong("icewal.seeds", 1));
  }

  static LongStream longSeeds() {
    return LongStream.range(SEEDS, SEEDS + LONG_SEEDS);
  }

  @ParameterizedTest
  @MethodSource("quickSeeds")
  void queriesGiveWhatWasAcknowledged(long seed) {
    run(seed);
  }

  @ParameterizedTest
  @MethodSource("longSeeds")
  @Tag("long")
  void queriesGiveWhatWasAcknowledgedForManySeeds(long seed) {
    run(seed);
  }

  private void run(long seed) {
    OracleRun run = new OracleRun(engine, new Random(seed * 7919));
    try {
      OracleTable table = new OracleTables(run).create("oracle_" + seed);
      OracleSteps steps = new OracleSteps(run);
      OracleMaintenance maintenance = new OracleMaintenance(run);
      OracleQueries queries = new OracleQueries(run);
      for (int i = 0; i < STEPS; i++) {
        boolean settled = false;
        int kind = run.random.nextInt(10);
        if (kind < 6) {
          steps.change(table);
        } else if (kind < 8) {
          settled = maintenance.maintain(table);
        } else {
          maintenance.alter(table);
        }
        queries.check(table);
        if (settled) {
          queries.checkMaterialized(table);
        }
      }
      engine.execute("DROP TABLE " + table.name);
    } catch (AssertionError | Exception e) {
      throw new AssertionError(
          "-Dicewal.seed=" + seed + "\n" + run.history() + "\n" + e.getMessage(), e);
    }
  }
}
