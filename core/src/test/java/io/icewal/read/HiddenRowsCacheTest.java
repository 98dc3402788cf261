package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HiddenRowsCacheTest {
  private final HiddenRowsCache cache = new HiddenRowsCache();
  private final List<Long> lookedFor = new ArrayList<>();

  /// A file whose row of key k is row 1000 - k, and which has no odd keys.
  private long[] find(KeySlice slice) {
    long[] keys =
        IntStream.range(slice.from(), slice.to()).mapToLong(slice.keys()::prefix).toArray();
    Arrays.stream(keys).forEach(lookedFor::add);
    return rows(keys);
  }

  private static long[] rows(long... keys) {
    return Arrays.stream(keys)
        .filter(key -> key % 2 == 0)
        .map(key -> 1000 - key)
        .sorted()
        .toArray();
  }

  private long[] get(String file, long... keys) {
    lookedFor.clear();
    byte[] slice = new KeySlice(KeyVector.ofPrefixes(keys), 0, keys.length).toBytes();
    return cache.get(file, "long", slice, this::find);
  }

  @Test
  void onlyKeysThatCameSinceAreLookedFor() {
    assertThat(get("f", 2, 3, 8)).containsExactly(992, 998);
    assertThat(lookedFor).containsExactly(2L, 3L, 8L);

    assertThat(get("f", 2, 3, 8)).containsExactly(992, 998);
    assertThat(lookedFor).isEmpty();
    assertThat(get("f", 1, 2, 3, 4, 8, 10)).containsExactly(990, 992, 996, 998);
    assertThat(lookedFor).containsExactly(1L, 4L, 10L);
    assertThat(get("g", 2)).containsExactly(998);
    assertThat(lookedFor).containsExactly(2L);
  }

  @Test
  void keysThatWentAwayHideNothing() {
    get("f", 2, 4, 6);

    assertThat(get("f", 2, 6, 8)).containsExactly(992, 994, 998);
    assertThat(lookedFor).containsExactly(2L, 6L, 8L);
    assertThat(get("f", 6)).containsExactly(994);
  }

  @Test
  void anySequenceOfSlicesIsAnsweredAsByTheFile() {
    Random random = new Random(3);
    TreeSet<Long> keys = new TreeSet<>();
    for (int i = 0; i < 2000; i++) {
      if (random.nextInt(20) == 0) {
        keys.removeIf(key -> random.nextInt(4) == 0);
      }
      keys.add((long) random.nextInt(900));
      long[] wanted = keys.stream().mapToLong(Long::longValue).toArray();

      assertThat(get("f" + random.nextInt(2), wanted)).isEqualTo(rows(wanted));
    }
  }
}
