package io.icewal.tail;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The newest index of each table's tail that was made lately: while rows arrive, the next one has
/// the same blocks and some more. Bounded; the least recently used go first. Thread-safe.
final class IndexCache {
  /// @param keyTypes the key's fields and types
  record TableKey(UUID tableId, String keyTypes) {}

  private final long bytesMax;
  private final Map<TableKey, TailIndex> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  IndexCache(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  synchronized @Nullable TailIndex find(TableKey key) {
    return entries.get(key);
  }

  /// Takes the place of what was there for the same table.
  synchronized void put(TableKey key, TailIndex index) {
    TailIndex before = entries.remove(key);
    bytes -= before == null ? 0 : before.heapBytes();
    if (index.heapBytes() > bytesMax) {
      return;
    }
    entries.put(key, index);
    bytes += index.heapBytes();
    Iterator<TailIndex> eldest = entries.values().iterator();
    while (bytes > bytesMax) {
      bytes -= eldest.next().heapBytes();
      eldest.remove();
    }
  }

  synchronized long bytes() {
    return bytes;
  }
}
