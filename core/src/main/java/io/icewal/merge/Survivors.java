package io.icewal.merge;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

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

  /// The newest rows of this stretch and the one that comes right after it, as if both were one.
  ///
  /// @param newer sources are numbered on from those of this stretch
  public Survivors then(Survivors newer) {
    if (newer.truncated || (size() == 0 && !truncated)) {
      return newer;
    }
    KeyVector all = KeyVector.concat(List.of(keys, newer.keys));
    int[] order = new int[all.size()];
    int count = 0;
    BitSet bothDeletes = new BitSet(all.size());
    BitSet bothReborn = new BitSet(all.size());
    int i = 0;
    int j = 0;
    while (i < size() || j < newer.size()) {
      int compared = i == size() ? 1 : j == newer.size() ? -1 : keys.compare(i, newer.keys, j);
      if (compared < 0) {
        bothDeletes.set(count, deletes.get(i));
        bothReborn.set(count, reborn.get(i));
        order[count++] = i++;
        continue;
      }
      boolean deletedBefore = compared > 0 ? truncated : deletes.get(i) || reborn.get(i);
      boolean delete = newer.deletes.get(j);
      bothDeletes.set(count, delete);
      bothReborn.set(count, !delete && (deletedBefore || newer.reborn.get(j)));
      i += compared == 0 ? 1 : 0;
      order[count++] = size() + j++;
    }
    return of(newer, all, Arrays.copyOf(order, count), bothDeletes, bothReborn);
  }

  private Survivors of(
      Survivors newer, KeyVector all, int[] order, BitSet bothDeletes, BitSet bothReborn) {
    int[] bothSources = new int[order.length];
    int[] bothRows = new int[order.length];
    for (int k = 0; k < order.length; k++) {
      int at = order[k];
      bothSources[k] = at < size() ? sources[at] : newer.sources[at - size()];
      bothRows[k] = at < size() ? rows[at] : newer.rows[at - size()];
    }
    return new Survivors(
        all.gather(order), bothSources, bothRows, bothDeletes, bothReborn, truncated);
  }

  /// Bytes of heap that they take.
  public long heapBytes() {
    return keys.heapBytes()
        + (sources.length + (long) rows.length) * Integer.BYTES
        + (deletes.size() + reborn.size()) / Byte.SIZE;
  }

  /// How many keys are upserts.
  public int upserts() {
    return size() - deletes.cardinality();
  }
}
