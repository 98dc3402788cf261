package io.icewal.sim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// What a table must hold: the plainest possible model of it, sharing no code with the product.
///
/// A keyed table maps a key's number to the token of its live row (to several, if an outside writer
/// broke uniqueness); an append-only table is a bag of tokens under key number -1.
final class ReferenceTable {
  static final int NO_KEY = -1;

  private final TreeMap<Integer, List<Long>> rows = new TreeMap<>();
  private final Set<Integer> reborn = new HashSet<>();
  private final boolean keyed;

  ReferenceTable(boolean keyed) {
    this.keyed = keyed;
  }

  /// An independent copy that has seen no rebirth yet.
  ReferenceTable copy() {
    ReferenceTable copy = new ReferenceTable(keyed);
    rows.forEach((key, tokens) -> copy.rows.put(key, new ArrayList<>(tokens)));
    return copy;
  }

  void upsert(int key, long token) {
    if (keyed) {
      rows.put(key, new ArrayList<>(List.of(token)));
    } else {
      rows.computeIfAbsent(NO_KEY, k -> new ArrayList<>()).add(token);
    }
  }

  void delete(int key) {
    if (rows.remove(key) != null) {
      reborn.add(key);
    }
  }

  void truncate() {
    reborn.addAll(rows.keySet());
    rows.clear();
  }

  /// One more row, whatever is there: what an outside writer does.
  void append(int key, long token) {
    rows.computeIfAbsent(keyed ? key : NO_KEY, k -> new ArrayList<>()).add(token);
  }

  /// The row of this token is gone.
  void remove(long token) {
    for (Map.Entry<Integer, List<Long>> entry : rows.entrySet()) {
      if (entry.getValue().remove(token) && entry.getValue().isEmpty()) {
        reborn.add(entry.getKey());
      }
    }
    rows.values().removeIf(List::isEmpty);
  }

  /// Live tokens by key number, in order.
  TreeMap<Integer, List<Long>> rows() {
    TreeMap<Integer, List<Long>> sorted = new TreeMap<>();
    rows.forEach((key, tokens) -> sorted.put(key, tokens.stream().sorted().toList()));
    return sorted;
  }

  /// Keys that were without a live row at some moment since [#copy].
  Set<Integer> reborn() {
    return reborn;
  }
}
