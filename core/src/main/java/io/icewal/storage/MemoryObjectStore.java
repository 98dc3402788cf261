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
    ObjectKeys.check(key);
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    parts.forEach(whole::writeBytes);
    Entry entry = new Entry(whole.toByteArray(), clock.instant());
    return objects.putIfAbsent(key, entry) == null ? PutOutcome.CREATED : PutOutcome.EXISTS;
  }

  @Override
  public void put(String key, byte[] bytes) {
    ObjectKeys.check(key);
    objects.put(key, new Entry(bytes.clone(), clock.instant()));
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    Entry entry = objects.get(ObjectKeys.check(key));
    if (entry == null) {
      return Optional.empty();
    }
    int from = (int) range.from(entry.bytes.length);
    int to = (int) range.to(entry.bytes.length);
    byte[] bytes = Arrays.copyOfRange(entry.bytes, from, to);
    return Optional.of(new StoredBytes(bytes, from, meta(key, entry)));
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    return Optional.ofNullable(objects.get(ObjectKeys.check(key))).map(entry -> meta(key, entry));
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    ObjectKeys.checkPrefix(prefix);
    ObjectKeys.checkPrefix(startAfter);
    if (max < 1) {
      throw new IllegalArgumentException("max must be >= 1, got " + max);
    }
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
    keys.forEach(key -> objects.remove(ObjectKeys.check(key)));
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
