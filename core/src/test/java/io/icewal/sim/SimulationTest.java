package io.icewal.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Fixed seeds, the same in every build, and fresh ones for a while. A failure prints how to run
/// its seed again: `-Dicewal.seed=N` makes [#freshSeeds] run that one.
@Tag("slow")
class SimulationTest {
  private static final long FRESH_NANOS = 30_000_000_000L;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 9, 14, 21, 33})
  void everyAcknowledgedRowIsThereExactlyOnce(long seed) {
    Simulation.Result result = Simulation.run(seed);

    assertThat(result.commits()).isPositive();
  }

  @Test
  void freshSeeds() {
    String given = System.getProperty("icewal.seed");
    if (given != null) {
      Variant variant = Variant.parse(System.getProperty("icewal.variant", ""));
      assertThat(Simulation.run(Long.parseLong(given), variant).steps()).isPositive();
      return;
    }
    long began = System.nanoTime();
    long seed = System.currentTimeMillis() * 1000;
    long steps = 0;
    while (steps == 0 || System.nanoTime() - began < FRESH_NANOS) {
      steps += Simulation.run(seed++).steps();
    }

    assertThat(steps).isPositive();
  }
}
