package io.icewal.storage;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/// Objects on the heap, gone with the process: for tests and simulations. Thread-safe.
public final class MemoryObjectStore implements ObjectStore {
  private record Entry(byte[] bytes, Instant modified) {}

  private final ConcurrentSkipListMap<String, Entry> objects = new ConcurrentSkipListMap<>();
  private final InstantSource clock;

  public MemoryObjectStore(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    parts.forEach(whole::writeBytes);
    Entry entry = new Entry(whole.toByteArray(), clock.instant());
    return objects.putIfAbsent(key, entry) == null ? PutOutcome.CREATED : PutOutcome.EXISTS;
  }

  @Override
  public void put(String key, byte[] bytes) {
    objects.put(key, new Entry(bytes.clone(), clock.instant()));
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    Entry entry = objects.get(key);
    if (entry == null) {
      return Optional.empty();
    }
    int size = entry.bytes.length;
    int from = 0;
    int to = size;
    if (range instanceof ByteRange.Slice slice) {
      from = (int) Math.min(size, slice.offset());
      to = (int) Math.min(size, slice.offset() + slice.length());
    } else if (range instanceof ByteRange.Suffix suffix) {
      from = Math.max(0, size - suffix.length());
    }
    byte[] bytes = Arrays.copyOfRange(entry.bytes, from, to);
    return Optional.of(new StoredBytes(bytes, from, meta(key, entry)));
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    return Optional.ofNullable(objects.get(key)).map(entry -> meta(key, entry));
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    List<ObjectMeta> found = new ArrayList<>();
    String from = startAfter.compareTo(prefix) > 0 ? startAfter : prefix;
    for (var entry : objects.tailMap(from, !from.equals(startAfter)).entrySet()) {
      if (!entry.getKey().startsWith(prefix) || found.size() == max) {
        break;
      }
      found.add(meta(entry.getKey(), entry.getValue()));
    }
    return found;
  }

  @Override
  public void delete(Collection<String> keys) {
    keys.forEach(objects::remove);
  }

  @Override
  public String describe() {
    return "memory:" + Integer.toHexString(System.identityHashCode(this));
  }

  @Override
  public void close() {}

  private static ObjectMeta meta(String key, Entry entry) {
    return new ObjectMeta(key, entry.bytes.length, entry.modified);
  }
}
