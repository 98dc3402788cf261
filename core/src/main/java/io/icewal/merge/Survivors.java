package io.icewal.merge;

import java.util.BitSet;

/// The newest row of each key of a stretch of the log, sorted by key. All arrays run in parallel
/// with [#keys]; they are not to be changed.
///
/// @param keys distinct keys in ascending order
/// @param sources the number of the batch that holds the key's newest row
/// @param rows the row within that batch
/// @param deletes set where the newest row is a delete
/// @param reborn set where the newest row is an upsert after a delete (or truncation) of the same
///   stretch: it does not continue the row that the table may hold
/// @param truncated whether every row that the table held before the stretch is gone
public record Survivors(
    KeyVector keys, int[] sources, int[] rows, BitSet deletes, BitSet reborn, boolean truncated) {
  public int size() {
    return keys.size();
  }

  /// Whether the key's newest row is a delete.
  public boolean isDelete(int i) {
    return deletes.get(i);
  }

  /// Whether the key's newest row is a new row although the table may hold one of the same key.
  public boolean isReborn(int i) {
    return reborn.get(i);
  }

  /// How many keys are upserts.
  public int upserts() {
    return size() - deletes.cardinality();
  }
}
