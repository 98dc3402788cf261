package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.wal.Sequences.Verdict;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SequencesTest {

  /// Keeps every sequence it ever saw, and counts ranges the slow way.
  private static final class Oracle {
    final Set<Long> seen = new HashSet<>();
    long highest = -1;
    long knownFrom;

    Verdict verdict(long sequence) {
      if (sequence < knownFrom) {
        return Verdict.FORGOTTEN;
      }
      return seen.contains(sequence) ? Verdict.SEEN : Verdict.NEW;
    }

    void see(long sequence) {
      seen.add(sequence);
      highest = Math.max(highest, sequence);
      List<Long> ends = rangeEnds();
      if (ends.size() > Sequences.RANGES_MAX) {
        knownFrom = ends.get(0) + 1;
      }
    }

    /// The last of each unseen range from `knownFrom` on.
    private List<Long> rangeEnds() {
      TreeSet<Long> ends = new TreeSet<>();
      for (long s = knownFrom; s < highest; s++) {
        if (!seen.contains(s) && seen.contains(s + 1)) {
          ends.add(s);
        }
      }
      return List.copyOf(ends);
    }
  }

  @Test
  void verdictsEqualThoseOfAnOracleThatForgetsNothing() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int spread = 1 + random.nextInt(400);
      Oracle oracle = new Oracle();
      Sequences sequences = Sequences.NONE;
      for (int step = 0; step < 300; step++) {
        long sequence = random.nextInt(spread);
        Verdict expected = oracle.verdict(sequence);
        assertThat(sequences.verdict(sequence))
            .as("seed %d step %d", seed, step)
            .isEqualTo(expected);
        if (expected == Verdict.NEW && random.nextInt(3) > 0) {
          sequences = sequences.with(sequence);
          oracle.see(sequence);
          assertThat(sequences.knownFrom()).isEqualTo(oracle.knownFrom);
          assertThat(sequences.highest()).isEqualTo(oracle.highest);
        }
      }
      assertThat(Sequences.of(sequences.highest(), sequences.knownFrom(), sequences.unseen()))
          .isEqualTo(sequences);
    }
  }

  @Test
  void aRejectedBatchCanBeCorrectedAndSentAgain() {
    Sequences sequences = Sequences.NONE.with(0).with(2);

    assertThat(sequences.verdict(1)).isEqualTo(Verdict.NEW);
    assertThat(sequences.with(1).verdict(1)).isEqualTo(Verdict.SEEN);
  }

  @Test
  void theSixtyFifthUnseenRangeIsForgotten() {
    Sequences sequences = Sequences.NONE;
    for (int i = 1; i <= 64; i++) {
      sequences = sequences.with(2L * i - 1);
    }
    assertThat(sequences.verdict(0)).isEqualTo(Verdict.NEW);

    sequences = sequences.with(129);

    assertThat(sequences.verdict(0)).isEqualTo(Verdict.FORGOTTEN);
    assertThat(sequences.verdict(1)).isEqualTo(Verdict.SEEN);
    assertThat(sequences.verdict(2)).isEqualTo(Verdict.NEW);
  }

  @Test
  void stateThatCannotHaveComeAboutIsRefused() {
    assertThatThrownBy(() -> Sequences.of(5, 0, List.of(3L, 1L)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Sequences.of(5, 0, List.of(3L, 6L)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Sequences.of(5, 4, List.of(1L, 2L)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
