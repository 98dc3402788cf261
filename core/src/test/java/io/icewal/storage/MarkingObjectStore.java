package io.icewal.storage;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/// A store as a bucket with versions is: what was deleted leaves a marker, and a list has to pass
/// the markers that lie on its way, which takes it as long as if the objects were there. Counts
/// them. Not thread-safe.
public final class MarkingObjectStore extends ForwardingObjectStore {
  private final TreeSet<String> markers = new TreeSet<>();
  private long passed;

  public MarkingObjectStore(ObjectStore inner) {
    super(inner);
  }

  /// Markers passed by all lists since the last call.
  public long passed() {
    long count = passed;
    passed = 0;
    return count;
  }

  public int markers() {
    return markers.size();
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    List<ObjectMeta> found = inner.list(prefix, startAfter, max);
    String from = startAfter.compareTo(prefix) > 0 ? startAfter : prefix;
    String to = found.size() < max ? prefix + Character.MAX_VALUE : found.get(max - 1).key();
    if (from.compareTo(to) < 0) {
      passed += markers.subSet(from, false, to, false).size();
    }
    return found;
  }

  @Override
  public void delete(Collection<String> keys) {
    inner.delete(keys);
    markers.addAll(keys);
  }
}
