package io.icewal.read;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Hidden rows of files that were found lately: a file is read in several splits, and by queries
/// one after the other. While rows arrive each query's tail has the keys of the one before and some
/// more: only those are looked for.
///
/// Never truth; bounded, the least recently used go first. Thread-safe: two that ask for the same
/// at once may both look.
public final class HiddenRowsCache {
  private static final long BYTES_MAX = 64L << 20;
  private static final int ENTRY_BYTES = 200;

  /// @param key the key's fields and types
  private record File(String location, String key) {}

  /// @param slice the keys that were looked for
  /// @param rows where they are, ascending
  private record Found(byte[] slice, long[] rows) {}

  private final Map<File, Found> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /// @param key the key's fields and types
  /// @param slice the keys that are looked for
  /// @param find looks for some of them in the file; gives their rows, ascending
  public long[] get(String location, String key, byte[] slice, Function<KeySlice, long[]> find) {
    File file = new File(location, key);
    Found known = find(file);
    if (known != null && Arrays.equals(known.slice(), slice)) {
      return known.rows();
    }
    KeySlice wanted = KeySlice.fromBytes(slice);
    KeySlice more = known == null ? null : wanted.beyond(KeySlice.fromBytes(known.slice()));
    long[] rows =
        known == null || more == null ? find.apply(wanted) : merged(known.rows(), find.apply(more));
    put(file, new Found(slice, rows));
    return rows;
  }

  /// Rows of different keys are different rows.
  private static long[] merged(long[] a, long[] b) {
    long[] all = new long[a.length + b.length];
    int i = 0;
    int j = 0;
    while (i + j < all.length) {
      boolean first = j == b.length || (i < a.length && a[i] < b[j]);
      all[i + j] = first ? a[i] : b[j];
      if (first) {
        i++;
      } else {
        j++;
      }
    }
    return all;
  }

  private synchronized @Nullable Found find(File file) {
    return entries.get(file);
  }

  private synchronized void put(File file, Found found) {
    Found before = entries.remove(file);
    bytes -= before == null ? 0 : cost(file, before);
    if (cost(file, found) > BYTES_MAX) {
      return;
    }
    entries.put(file, found);
    bytes += cost(file, found);
    Iterator<Map.Entry<File, Found>> eldest = entries.entrySet().iterator();
    while (bytes > BYTES_MAX) {
      Map.Entry<File, Found> entry = eldest.next();
      bytes -= cost(entry.getKey(), entry.getValue());
      eldest.remove();
    }
  }

  private static long cost(File file, Found found) {
    return ENTRY_BYTES
        + 2L * file.location().length()
        + found.slice().length
        + (long) found.rows().length * Long.BYTES;
  }
}
