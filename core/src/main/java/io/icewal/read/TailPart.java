package io.icewal.read;

import io.icewal.expression.Condition;
import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.merge.KeyVector;
import io.icewal.merge.Survivors;
import io.icewal.model.BlockKind;
import io.icewal.parquet.ArrowRows;
import io.icewal.table.PartitionKeys;
import io.icewal.tail.RowsBySource;
import io.icewal.tail.Tail;
import io.icewal.tail.TailIndex;
import io.icewal.wal.BlockRef;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.PartitionSpec;
import org.jspecify.annotations.Nullable;

/// What a tail means for one scan: the keys that hide rows of the snapshot, and the rows that it
/// adds. On the heap; immutable.
///
/// @param tail the tail
/// @param index its keys; null for an append-only table
/// @param keys sorted keys that may hide rows which the scan could return
/// @param liveEntries the survivors that the scan may return; not to be changed; null for an
///   append-only table
/// @param liveRows how many they are
record TailPart(
    Tail tail,
    @Nullable TailIndex index,
    KeyVector keys,
    @Nullable BitSet liveEntries,
    long liveRows) {

  /// The tail of an append-only table: all its rows count and hide nothing.
  static TailPart appended(Tail tail) {
    long rows =
        tail.blocks().subList(tail.firstLive(), tail.blocks().size()).stream()
            .filter(block -> block.header().kind() == BlockKind.UPSERT)
            .mapToLong(BlockRef::rows)
            .sum();
    return new TailPart(tail, null, KeySlice.NONE.keys(), null, rows);
  }

  /// The tail of a keyed table.
  ///
  /// @param range keys beyond it may be left out: no row of theirs is in the result
  /// @param condition keys for which its part over key columns is not true are left out: neither a
  ///   row of theirs in the snapshot nor one in the tail can be in the result
  /// @param specs the table's partition specs
  /// @param slices told about the keys, as long as their columns are at hand
  static TailPart keyed(
      Tail tail,
      KeyColumns key,
      KeyRange range,
      @Nullable Condition condition,
      Map<Integer, PartitionSpec> specs,
      KeySlices slices,
      BufferAllocator allocator) {
    TailIndex index = TailIndex.of(tail, key, range, allocator);
    Survivors survivors = index.survivors();
    Optional<Condition> onKey =
        condition == null ? Optional.empty() : condition.onlyOver(new HashSet<>(key.fieldIds()));
    if (survivors.size() == 0 || (onKey.isEmpty() && !PartitionKeys.arePrunable(specs, key))) {
      slices.prepare(survivors.keys(), null);
      return of(tail, index, survivors.keys(), null);
    }
    try (VectorSchemaRoot rows = index.keyRows(key, allocator)) {
      if (onKey.isEmpty()) {
        slices.prepare(survivors.keys(), rows);
        return of(tail, index, survivors.keys(), null);
      }
      BitSet chosen = onKey.get().test(rows);
      int[] entries = chosen.stream().toArray();
      KeyVector keys = survivors.keys().gather(entries);
      try (VectorSchemaRoot chosenRows = ArrowRows.gather(rows, entries, allocator)) {
        slices.prepare(keys, chosenRows);
      }
      return of(tail, index, keys, chosen);
    }
  }

  private static TailPart of(Tail tail, TailIndex index, KeyVector keys, @Nullable BitSet chosen) {
    Survivors survivors = index.survivors();
    BitSet live = new BitSet(survivors.size());
    live.set(0, survivors.size());
    live.andNot(survivors.deletes());
    if (chosen != null) {
      live.and(chosen);
    }
    return new TailPart(tail, index, keys, live, live.cardinality());
  }

  /// The rows that the scan may return, where they lie; null for an append-only table. Made anew at
  /// each call: a scan that wants a few keys has no use for all of them.
  @Nullable RowsBySource live() {
    return index == null || liveEntries == null
        ? null
        : RowsBySource.of(index.survivors(), index.sources().size(), liveEntries);
  }
}
