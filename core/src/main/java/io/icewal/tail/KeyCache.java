package io.icewal.tail;

import io.icewal.merge.KeyVector;
import io.icewal.wal.BlockRef;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The encoded keys of blocks that were read lately, so that a tail that is read again and again
/// costs only its new blocks. Blocks never change, so entries never go stale; the least recently
/// used go first. Thread-safe.
final class KeyCache {
  /// @param keyTypes the key's fields and types: a promotion between calendars changes the encoding
  record BlockKey(UUID segmentId, int index, String keyTypes) {
    static BlockKey of(BlockRef block, String keyTypes) {
      return new BlockKey(block.segmentId(), block.index(), keyTypes);
    }
  }

  /// One record batch: its keys and, in a MIXED block, what each row means.
  record RootKeys(KeyVector keys, byte @Nullable [] ops) {
    long heapBytes() {
      return keys.heapBytes() + (ops == null ? 0 : ops.length);
    }
  }

  /// What an entry costs beside its keys.
  private static final int ENTRY_BYTES = 200;

  private final long bytesMax;
  private final Map<BlockKey, List<RootKeys>> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  KeyCache(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// Whether keys of so many rows can be kept at once, as far as one can know beforehand.
  boolean hasRoomFor(long rows) {
    return rows <= bytesMax / Long.BYTES;
  }

  synchronized @Nullable List<RootKeys> find(BlockKey key) {
    return entries.get(key);
  }

  synchronized void put(BlockKey key, List<RootKeys> roots) {
    if (cost(roots) > bytesMax || entries.putIfAbsent(key, roots) != null) {
      return;
    }
    bytes += cost(roots);
    Iterator<Map.Entry<BlockKey, List<RootKeys>>> eldest = entries.entrySet().iterator();
    while (bytes > bytesMax) {
      bytes -= cost(eldest.next().getValue());
      eldest.remove();
    }
  }

  synchronized long bytes() {
    return bytes;
  }

  private static long cost(List<RootKeys> roots) {
    return ENTRY_BYTES + roots.stream().mapToLong(RootKeys::heapBytes).sum();
  }
}
