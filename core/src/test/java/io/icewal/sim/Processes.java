package io.icewal.sim;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.Set;

/// What the processes of a simulation have in common: they live until the run is over, are born
/// again after a crash with nothing but the store and the catalog, and take failures that the
/// simulated world made as what they are.
final class Processes {
  private static final Set<ErrorKind> EXPECTED =
      Set.of(ErrorKind.UNAVAILABLE, ErrorKind.CONFLICT, ErrorKind.UNKNOWN);

  private Processes() {}

  /// One life of a process, from its start.
  @FunctionalInterface
  interface Life {
    void live();
  }

  /// Lives again and again until a life ends by itself.
  static void run(Schedule schedule, Life life) {
    while (true) {
      try {
        life.live();
        return;
      } catch (SimCrash crash) {
        schedule.reborn();
      } catch (RuntimeException e) {
        tolerate(e);
      }
    }
  }

  /// Does nothing if the failure comes from a fault of the simulated world.
  ///
  /// @throws RuntimeException the failure, if it does not
  static void tolerate(RuntimeException failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SimCrash crash) {
        throw crash;
      }
      if (String.valueOf(t.getMessage()).contains("simulated: ")
          || (t instanceof IcewalException known && EXPECTED.contains(known.kind()))
          || t instanceof org.apache.iceberg.exceptions.CommitFailedException) {
        return;
      }
    }
    throw failure;
  }
}
