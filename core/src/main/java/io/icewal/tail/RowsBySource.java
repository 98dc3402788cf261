package io.icewal.tail;

import io.icewal.merge.Survivors;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Survivors in the order in which they lie in the log: by source, then by row. Immutable.
public final class RowsBySource {
  private static final int ROW_BITS = 32;

  private final int[] starts;

  /// Row within the source above, index of the survivor below.
  private final long[] packed;

  private RowsBySource(int[] starts, long[] packed) {
    this.starts = starts;
    this.packed = packed;
  }

  /// @param sources how many sources there are
  /// @param chosen the survivors that count; null for all
  public static RowsBySource of(Survivors survivors, int sources, @Nullable BitSet chosen) {
    int[] starts = new int[sources + 1];
    for (int i = next(survivors, chosen, 0); i >= 0; i = next(survivors, chosen, i + 1)) {
      starts[survivors.sources()[i] + 1]++;
    }
    for (int source = 0; source < sources; source++) {
      starts[source + 1] += starts[source];
    }
    long[] packed = new long[starts[sources]];
    int[] next = Arrays.copyOf(starts, sources);
    for (int i = next(survivors, chosen, 0); i >= 0; i = next(survivors, chosen, i + 1)) {
      packed[next[survivors.sources()[i]]++] = ((long) survivors.rows()[i] << ROW_BITS) | i;
    }
    for (int source = 0; source < sources; source++) {
      Arrays.sort(packed, starts[source], starts[source + 1]);
    }
    return new RowsBySource(starts, packed);
  }

  /// The first one from `from` on that counts; -1 after the last.
  private static int next(Survivors survivors, @Nullable BitSet chosen, int from) {
    if (chosen != null) {
      return chosen.nextSetBit(from);
    }
    return from < survivors.size() ? from : -1;
  }

  /// How many survivors lie in a source.
  public int count(int source) {
    return starts[source + 1] - starts[source];
  }

  /// The rows of a source that survive, ascending.
  public int[] rows(int source) {
    int[] rows = new int[count(source)];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = (int) (packed[starts[source] + i] >>> ROW_BITS);
    }
    return rows;
  }

  /// The survivors that lie in a source, in the order of [#rows].
  public int[] survivors(int source) {
    int[] survivors = new int[count(source)];
    for (int i = 0; i < survivors.length; i++) {
      survivors[i] = (int) packed[starts[source] + i];
    }
    return survivors;
  }
}
