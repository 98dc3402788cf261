package io.icewal.sim;

import java.util.random.RandomGenerator;

/// How big and how hostile one run is, drawn by its seed: some runs are calm, some are all faults.
///
/// @param logs logs of the root
/// @param tables tables, keyed and append-only
/// @param writers processes that append
/// @param clients streams of batches
/// @param batchesMax batches a client sends
/// @param faultPerMille how many of a thousand requests meet a fault
/// @param crashPerMille how many of a thousand calls a process dies at
/// @param materializers processes that materialize
/// @param trimmers processes that trim
/// @param readers processes that read
/// @param foreign whether another engine writes too
record SimSettings(
    int logs,
    int tables,
    int writers,
    int clients,
    int batchesMax,
    int faultPerMille,
    int crashPerMille,
    int materializers,
    int trimmers,
    int readers,
    boolean foreign) {

  static SimSettings draw(RandomGenerator random) {
    return new SimSettings(
        random.nextBoolean() ? 1 : 3,
        1 + random.nextInt(3),
        1 + random.nextInt(3),
        2 + random.nextInt(4),
        6 + random.nextInt(40),
        random.nextInt(4) == 0 ? 0 : 10 + random.nextInt(90),
        random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(8),
        1 + random.nextInt(2),
        1 + random.nextInt(2),
        1 + random.nextInt(2),
        random.nextInt(3) != 0);
  }
}
