package io.icewal.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Seeds that every build runs.
class SimulationTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 9, 14, 21, 33})
  void everyAcknowledgedRowIsThereExactlyOnce(long seed) {
    Simulation.Result result = Simulation.run(seed);

    assertThat(result.commits()).isPositive();
    assertThat(result.reads()).isPositive();
  }
}
