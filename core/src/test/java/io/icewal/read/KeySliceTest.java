package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyVector;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeySliceTest {
  private static KeySlice slice(long... keys) {
    return new KeySlice(KeyVector.ofPrefixes(keys), 0, keys.length);
  }

  private static long[] keys(KeySlice slice) {
    return IntStream.range(slice.from(), slice.to()).mapToLong(slice.keys()::prefix).toArray();
  }

  @Test
  void beyondAnotherSliceAreTheKeysThatItLacks() {
    KeySlice all = slice(1, 3, 5, 7);

    assertThat(keys(all.beyond(slice(3, 7)))).containsExactly(1, 5);
    assertThat(keys(all.beyond(slice()))).containsExactly(1, 3, 5, 7);
    assertThat(keys(all.beyond(all))).isEmpty();
    assertThat(keys(slice(3).beyond(KeySlice.NONE))).containsExactly(3);
  }

  @Test
  void nothingIsBeyondASliceThatHasMore() {
    assertThat(slice(3).beyond(slice(3, 4))).isNull();
    assertThat(slice(3).beyond(slice(1, 3))).isNull();
    assertThat(slice(3, 5).beyond(slice(4))).isNull();
    assertThat(slice().beyond(slice(1))).isNull();
  }

  @Test
  void beyondIsTheDifferenceOfSets() {
    Random random = new Random(5);
    for (int i = 0; i < 500; i++) {
      TreeSet<Long> all = new TreeSet<>();
      TreeSet<Long> some = new TreeSet<>();
      for (int k = 0; k < random.nextInt(20); k++) {
        all.add((long) random.nextInt(30));
        if (random.nextInt(20) == 0) {
          some.add((long) random.nextInt(30));
        }
      }
      all.forEach(
          key -> {
            if (random.nextBoolean()) {
              some.add(key);
            }
          });
      TreeSet<Long> rest = new TreeSet<>(all);
      rest.removeAll(some);

      KeySlice beyond = slice(longs(all)).beyond(slice(longs(some)));

      if (all.containsAll(some)) {
        assertThat(keys(beyond)).isEqualTo(longs(rest));
      } else {
        assertThat(beyond).isNull();
      }
    }
  }

  private static long[] longs(TreeSet<Long> keys) {
    return keys.stream().mapToLong(Long::longValue).toArray();
  }
}
