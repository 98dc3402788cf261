package io.icewal.sim;

import java.util.Random;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// How big and how hostile one run is, drawn by its seed: some runs are calm, some are all faults.
///
/// @param profile what kind of run it is
/// @param logs logs of the root
/// @param tables tables, keyed and append-only
/// @param writers processes that append
/// @param clients streams of batches
/// @param batchesMax batches a client sends
/// @param rowsMax rows of a batch
/// @param unnamedPercent how many of a hundred clients have no producer id
/// @param writeOneIn in one of how many turns a writer works
/// @param materializers processes that materialize
/// @param materializeOneIn in one of how many turns a materializer works
/// @param trimmers processes that trim
/// @param readers processes that read
/// @param foreign whether another engine writes too
/// @param ingestors whether the writers are whole ingestors, with validation and group commit
/// @param foreignOneIn in one of how many turns the other engine works
/// @param schemaOneIn in one of how many appends a writer loads the table anew
/// @param evolves whether the foreign engine changes schemas
/// @param lifecycle whether tables are renamed, rolled back, dropped and replaced
/// @param hazards what goes wrong, and how often
/// @param trimming how eagerly logs are trimmed
record SimSettings(
    Profile profile,
    int logs,
    int tables,
    int writers,
    int clients,
    int batchesMax,
    int rowsMax,
    int unnamedPercent,
    int writeOneIn,
    int materializers,
    int materializeOneIn,
    int trimmers,
    int readers,
    boolean foreign,
    boolean ingestors,
    int foreignOneIn,
    int schemaOneIn,
    boolean evolves,
    boolean lifecycle,
    Hazards hazards,
    Trimming trimming) {

  /// Kinds of runs. A share of the seeds goes to each.
  enum Profile {
    /// Some of everything.
    EVERYTHING,
    /// Few slots that are filled, trimmed and deleted at once, requests that travel, processes that
    /// stop between any two calls: where ghosts are.
    STORM,
    /// As a storm, with writers that the summary forgets while they sleep.
    OBLIVION,
    /// Several materializers and a busy foreign engine on one table.
    RACES
  }

  /// @param faultPerMille how many of a thousand requests meet a fault
  /// @param travelPercent how many of a hundred lost writes travel on
  /// @param crashPerMille how many of a thousand calls a process dies at
  /// @param sleepPerMille how many of a thousand calls a process stops at
  /// @param sleepTurnsMax how long it stops, at most
  /// @param deadlineTurnsMax how long a writer insists, at most
  /// @param impatiencePerMille how many of a thousand turns of the network a client gives up at
  /// @param lateOntoFreeNames whether what travels mostly lands where a name is free again
  /// @param keepPercent how many of a hundred calls a process of tables goes on after
  record Hazards(
      int faultPerMille,
      int travelPercent,
      int crashPerMille,
      int sleepPerMille,
      int sleepTurnsMax,
      int deadlineTurnsMax,
      int impatiencePerMille,
      boolean lateOntoFreeNames,
      int keepPercent) {}

  /// @param parkPercent how many of a hundred decisions on a table park it
  /// @param graceTurnsMax how long what is superfluous is kept, at most
  /// @param deletePercent how many of a hundred rounds delete
  /// @param keepPercent how many of a hundred calls a trimmer goes on after
  /// @param idleTurns after how many turns writers are forgotten; 0 for never in a run
  record Trimming(
      int parkPercent, int graceTurnsMax, int deletePercent, int keepPercent, int idleTurns) {}

  /// The settings of a seed's run.
  static SimSettings of(long seed) {
    return draw(workload(new SplittableRandom(seed)));
  }

  /// Seeds are often close to each other, and their first draws would be, too.
  static RandomGenerator workload(SplittableRandom seeds) {
    return new Random(seeds.nextLong());
  }

  static SimSettings draw(RandomGenerator random) {
    int dice = random.nextInt(16);
    if (dice < 6) {
      return everything(random);
    }
    if (dice < 11) {
      return storm(random, Profile.STORM);
    }
    return dice < 13 ? storm(random, Profile.OBLIVION) : races(random);
  }

  private static SimSettings everything(RandomGenerator random) {
    return new SimSettings(
        Profile.EVERYTHING,
        random.nextBoolean() ? 1 : 3,
        1 + random.nextInt(3),
        1 + random.nextInt(3),
        2 + random.nextInt(4),
        6 + random.nextInt(40),
        8,
        25,
        1 + random.nextInt(3),
        1 + random.nextInt(2),
        1 + random.nextInt(4),
        1 + random.nextInt(2),
        1 + random.nextInt(2),
        random.nextInt(3) != 0,
        random.nextInt(3) == 0,
        1 + random.nextInt(10),
        1 + random.nextInt(10),
        random.nextBoolean(),
        random.nextInt(3) == 0,
        new Hazards(
            random.nextInt(4) == 0 ? 0 : 10 + random.nextInt(90),
            33,
            random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(8),
            10,
            400,
            420,
            5,
            random.nextBoolean(),
            25 + random.nextInt(60)),
        new Trimming(12, 20, 50, 25 + random.nextInt(60), 0));
  }

  private static SimSettings storm(RandomGenerator random, Profile profile) {
    boolean forgets = profile == Profile.OBLIVION;
    return new SimSettings(
        profile,
        1,
        1 + random.nextInt(2),
        2 + random.nextInt(3),
        4 + random.nextInt(5),
        30 + random.nextInt(60),
        2,
        forgets ? 100 : random.nextInt(3) * 30,
        1 + random.nextInt(20),
        1,
        10 + random.nextInt(60),
        1 + random.nextInt(2),
        1 + random.nextInt(2),
        false,
        random.nextInt(6) == 0,
        1,
        100,
        false,
        false,
        new Hazards(
            random.nextInt(4) == 0 ? 0 : 20 + random.nextInt(150),
            60,
            random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(8),
            5 + random.nextInt(40),
            50 + random.nextInt(400),
            5 + random.nextInt(100),
            5 + random.nextInt(30),
            random.nextInt(4) != 0,
            95),
        new Trimming(
            30 + random.nextInt(60),
            random.nextInt(4) == 0 ? 40 : 0,
            90,
            80 + random.nextInt(20),
            forgets ? 10 + random.nextInt(60) : 0));
  }

  private static SimSettings races(RandomGenerator random) {
    return new SimSettings(
        Profile.RACES,
        1,
        1,
        1,
        1 + random.nextInt(3),
        10 + random.nextInt(30),
        8,
        25,
        1 + random.nextInt(6),
        2 + random.nextInt(2),
        1,
        1,
        1,
        true,
        random.nextInt(3) == 0,
        1 + random.nextInt(10),
        1 + random.nextInt(10),
        random.nextBoolean(),
        random.nextInt(3) == 0,
        new Hazards(
            random.nextInt(4) == 0 ? 0 : 10 + random.nextInt(60),
            33,
            random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(5),
            10,
            200,
            420,
            5,
            false,
            25),
        new Trimming(5, 40, 50, 25, 0));
  }
}
