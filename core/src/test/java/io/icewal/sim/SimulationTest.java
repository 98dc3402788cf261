package io.icewal.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Fixed seeds, the same in every build, and fresh ones for a while. A failure prints how to run
/// its seed again.
@Tag("slow")
class SimulationTest {
  private static final long FRESH_NANOS = 120_000_000_000L;

  static LongStream fixedSeeds() {
    return LongStream.rangeClosed(1, 20);
  }

  @ParameterizedTest
  @MethodSource("fixedSeeds")
  void everyAcknowledgedRowIsThereExactlyOnce(long seed) {
    Simulation.Result result = Simulation.run(seed);

    assertThat(result.commits()).isPositive();
  }

  @Test
  void theFixedSeedsAreOfEveryProfile() {
    Set<SimSettings.Profile> seen = new TreeSet<>();
    fixedSeeds().forEach(seed -> seen.add(SimSettings.of(seed).profile()));

    assertThat(seen).containsExactly(SimSettings.Profile.values());
  }

  @Test
  void everyAcknowledgedRowIsThereExactlyOnceInFreshSeedsToo() {
    long end = System.nanoTime() + FRESH_NANOS;
    long first = System.currentTimeMillis() * 1000;
    long seed = first;
    do {
      Simulation.run(seed++);
    } while (System.nanoTime() < end);

    System.out.println("fresh seeds " + first + " to " + (seed - 1));
  }
}
