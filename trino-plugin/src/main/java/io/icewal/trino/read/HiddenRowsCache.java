package io.icewal.trino.read;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Hidden rows of files that were found lately: a file is read in several splits, and by queries
/// one after the other. Never truth; bounded, the least recently used go first. Thread-safe: two
/// that ask for the same at once may both look.
final class HiddenRowsCache {
  private static final long BYTES_MAX = 64L << 20;
  private static final int ENTRY_BYTES = 200;

  private record Key(String file, String key, ByteBuffer slice) {
    long bytes() {
      return slice.capacity() + 2L * file.length();
    }
  }

  private final Map<Key, long[]> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /// @param key the key's fields and types
  /// @param slice the keys that are looked for
  long[] get(String file, String key, byte[] slice, Supplier<long[]> find) {
    Key entry = new Key(file, key, ByteBuffer.wrap(slice));
    long[] known = find(entry);
    if (known == null) {
      known = find.get();
      put(entry, known);
    }
    return known;
  }

  private synchronized long @Nullable [] find(Key key) {
    return entries.get(key);
  }

  private synchronized void put(Key key, long[] rows) {
    if (cost(key, rows) > BYTES_MAX || entries.putIfAbsent(key, rows) != null) {
      return;
    }
    bytes += cost(key, rows);
    Iterator<Map.Entry<Key, long[]>> eldest = entries.entrySet().iterator();
    while (bytes > BYTES_MAX) {
      Map.Entry<Key, long[]> entry = eldest.next();
      bytes -= cost(entry.getKey(), entry.getValue());
      eldest.remove();
    }
  }

  private static long cost(Key key, long[] rows) {
    return ENTRY_BYTES + key.bytes() + (long) rows.length * Long.BYTES;
  }
}
