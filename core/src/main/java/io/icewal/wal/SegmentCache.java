package io.icewal.wal;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Segments kept in memory, oldest use out first, within a bound in bytes. Thread-safe.
///
/// Whole small segments are kept by their UUID: whoever asks for that UUID gets those bytes,
/// whatever lies in the slot by then. Footers are kept by number, and only once they were checked
/// against the boundary: from then on they are valid for ever.
final class SegmentCache {
  private static final int FOOTER_BYTES = 512;
  private static final int BLOCK_BYTES = 1024;

  private record Entry(Object value, long bytes) {}

  private final long bytesMax;
  private final Map<Object, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  SegmentCache(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  void putWhole(UUID segmentId, byte[] whole) {
    put(segmentId, whole, whole.length);
  }

  Optional<byte[]> whole(UUID segmentId) {
    return get(segmentId).map(byte[].class::cast);
  }

  void putChecked(SegmentFooter footer) {
    long size = FOOTER_BYTES + (long) BLOCK_BYTES * footer.blocks().size();
    put(footer.number(), footer, size);
  }

  Optional<SegmentFooter> checked(long number) {
    return get(number).map(SegmentFooter.class::cast);
  }

  private synchronized Optional<Object> get(Object key) {
    return Optional.ofNullable(entries.get(key)).map(Entry::value);
  }

  private synchronized void put(Object key, Object value, long size) {
    if (size > bytesMax) {
      return;
    }
    Entry before = entries.put(key, new Entry(value, size));
    bytes += size - (before == null ? 0 : before.bytes());
    Iterator<Map.Entry<Object, Entry>> eldest = entries.entrySet().iterator();
    while (bytes > bytesMax) {
      bytes -= eldest.next().getValue().bytes();
      eldest.remove();
    }
  }
}
