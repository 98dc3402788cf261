package io.icewal.sim;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Seeds that every build runs.
class SimulationTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyAcknowledgedRowIsThereOnce(long seed) {
    System.out.println(seed + " " + Simulation.run(seed));
  }
}
