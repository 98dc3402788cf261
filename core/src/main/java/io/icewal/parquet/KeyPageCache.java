package io.icewal.parquet;

import io.icewal.merge.KeyVector;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Keys and page indexes of data files that were read before, bounded in bytes; the least recently
/// used go first. Data files never change and their names are never reused, so nothing in here
/// grows stale; nothing in here is needed either.
///
/// Thread-safe.
public final class KeyPageCache {
  /// Keys of eight million rows of one bigint, or the indexes of a few thousand files.
  public static final long BYTES_MAX_DEFAULT = 64L << 20;

  /// What an entry costs beyond its arrays.
  private static final int ENTRY_BYTES = 200;

  private final long bytesMax;
  private final LinkedHashMap<Place, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /// @param group the row group, or -1 for the file as a whole
  record Place(String location, String key, int group, int page) {}

  private record Entry(Object value, long bytes) {}

  public KeyPageCache() {
    this(BYTES_MAX_DEFAULT);
  }

  /// @param bytesMax bound on the heap of all entries; 0 keeps nothing
  public KeyPageCache(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  synchronized @Nullable KeyVector keys(Place place) {
    Entry entry = entries.get(place);
    return entry == null ? null : (KeyVector) entry.value;
  }

  void put(Place place, KeyVector keys) {
    put(place, keys, keys.heapBytes());
  }

  synchronized @Nullable KeyFileIndex index(Place place) {
    Entry entry = entries.get(place);
    return entry == null ? null : (KeyFileIndex) entry.value;
  }

  void put(Place place, KeyFileIndex index) {
    put(place, index, index.heapBytes());
  }

  private synchronized void put(Place place, Object value, long valueBytes) {
    long cost = valueBytes + ENTRY_BYTES + 2L * place.location.length();
    if (cost > bytesMax) {
      return;
    }
    Entry old = entries.put(place, new Entry(value, cost));
    bytes += cost - (old == null ? 0 : old.bytes);
    Iterator<Map.Entry<Place, Entry>> eldest = entries.entrySet().iterator();
    while (bytes > bytesMax) {
      bytes -= eldest.next().getValue().bytes;
      eldest.remove();
    }
  }

  /// Heap of all entries.
  public synchronized long bytes() {
    return bytes;
  }
}
